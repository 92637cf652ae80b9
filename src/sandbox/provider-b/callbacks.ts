import { createHmac } from "node:crypto";
import { type Delivery, isSuccess, type Webhooks } from "../core/webhooks.ts";
import type { SandboxProviderB } from "../settings.ts";

/** ProviderB makes only a few attempts. */
const maxAttempts = 3;

export type Form = Readonly<Record<string, string>>;

/** A signed webhook of an account. */
export function callback(
  webhooks: Webhooks,
  { token }: SandboxProviderB,
  url: string | undefined,
  form: Form,
  copies?: number,
): Delivery {
  const headers = {
    "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    "x-twilio-signature": url === undefined ? "" : signature(token, url, form),
    "user-agent": "TwilioProxy/1.1",
  };
  const destination = () => (url === undefined ? undefined : { url, headers });
  const payload = Buffer.from(new URLSearchParams(form).toString());
  return webhooks.delivery(payload, destination, { isAccepted: isSuccess, maxAttempts, copies });
}

/** Signs the whole address, followed by each field's name and value, sorted by name. */
function signature(token: string, url: string, form: Form): string {
  const signed = Object.keys(form)
    .sort()
    .map((name) => `${name}${form[name]}`);
  return createHmac("sha1", token)
    .update(`${url}${signed.join("")}`)
    .digest("base64");
}

/** A number in the channel's form. */
export const addressOf = (phone: string): string => `whatsapp:+${phone}`;
