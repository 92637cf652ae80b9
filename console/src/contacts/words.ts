import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { notice } from "../shared/notice.ts";

/** Explains an error. A refusal is translated if this screen knows its code; otherwise it keeps the service's words. */
export function useWordsOf(): (error: unknown) => string {
  const { t, i18n } = useTranslation("contacts");
  return (error) => {
    if (!(error instanceof Refused)) return t("unreachable");
    const own = `refused.${error.code}`;
    return i18n.exists(own, { ns: "contacts" }) ? String(t(own as "refused.number_taken")) : error.message;
  };
}

/** Shows errors that belong to no field. */
export function useShownFailure(): (error: unknown) => void {
  const wordsOf = useWordsOf();
  return (error) => notice({ isFailure: true, message: wordsOf(error) });
}
