import type { TFunction } from "i18next";

const onRequest = "paused on request";
const byPlatform = /^the platform has the template (\w+)(?:: (.*))?$/s;

/** Why a campaign is paused. A user's pause and a stopped template are translated; other reasons keep their words. */
export function pauseWords(reason: string, t: TFunction<"campaigns">): string {
  if (reason === onRequest) return t("pausedOnRequest");
  const [, status, why] = byPlatform.exec(reason) ?? [];
  if (status === undefined) return t("pausedFor", { reason });
  return t("pausedByPlatform", { status: status.toUpperCase(), reason: why === undefined ? "" : `: ${why}` });
}
