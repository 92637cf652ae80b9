import { createHmac } from "node:crypto";
import type { Delivery, Webhooks } from "../core/webhooks.ts";
import type { SandboxProviderB } from "../settings.ts";

/** ProviderB gives up early. */
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
  const isTaken = (status: number) => status >= 200 && status < 300;
  const payload = Buffer.from(new URLSearchParams(form).toString());
  return webhooks.delivery(payload, destination, { isTaken, maxAttempts, copies });
}

/** Of the whole address, followed by each field's name and value, in the order of the names. */
function signature(token: string, url: string, form: Form): string {
  const signed = Object.keys(form)
    .sort()
    .map((name) => `${name}${form[name]}`);
  return createHmac("sha1", token)
    .update(`${url}${signed.join("")}`)
    .digest("base64");
}

/** A number as the channel writes it. */
export const addressOf = (phone: string): string => `whatsapp:+${phone}`;
