import { i18n } from "../app/i18n.ts";
import { Refused } from "../shared/api.ts";

/** The error in the user's language if the console knows its code. The service's own sentences are Spanish. */
export function showFailure(error: unknown): string {
  if (!(error instanceof Refused)) return i18n.t("chat.failed");
  if (error.code === "chat_taken" && error.holder) return i18n.t("chat.taken", { name: error.holder });
  if (error.code === "window_closed") return i18n.t("composer.windowOver");
  if (error.code === "text_too_long") return i18n.t("composer.textTooLong");
  return error.message;
}
