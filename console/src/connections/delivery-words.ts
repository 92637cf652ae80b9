import type { TFunction } from "i18next";

const late = /^no (answer|connection) within (\d+) ms$/;
const failed = /^(connection failed|connection broke|answer broke off)(: .*)?$/s;
const kinds = {
  disabled: "hooks.error.disabled",
  "address not allowed: it is in a private network": "hooks.error.private",
  "not an address for deliveries": "hooks.error.unusable",
  "connection closed without an answer": "hooks.error.closed",
} as const;

/** Why a delivery got no answer. Reasons of the service are translated; codes such as `ECONNRESET` stay as they are. */
export function errorWords(error: string, t: TFunction<"connections">): string {
  if (Object.hasOwn(kinds, error)) return t(kinds[error as keyof typeof kinds]);
  const [, missing, ms] = late.exec(error) ?? [];
  if (ms !== undefined) {
    return t(missing === "answer" ? "hooks.error.slow" : "hooks.error.noConnection", { seconds: Number(ms) / 1_000 });
  }
  const [, what, code = ""] = failed.exec(error) ?? [];
  if (what === undefined) return error;
  return t(what === "connection failed" ? "hooks.error.failed" : "hooks.error.broke", { code });
}
