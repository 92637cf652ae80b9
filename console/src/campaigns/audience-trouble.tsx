import { Alert } from "@mantine/core";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { WrongSheet } from "./audience.ts";

function wordsOf(error: Error, t: TFunction<"campaigns">): string {
  if (error instanceof WrongSheet) return t(`wrongSheet.${error.why}`);
  return error instanceof Refused ? error.message : t("unreachable");
}

/** Shows why the recipients could not be read. */
export function AudienceTrouble({ error }: { readonly error: Error | null }) {
  const { t } = useTranslation("campaigns");
  if (!error) return null;
  return (
    <Alert color="red" variant="outline" role="alert">
      {wordsOf(error, t)}
    </Alert>
  );
}
