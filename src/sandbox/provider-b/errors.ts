import { type Answer, type Failure, Refusal } from "../core/route.ts";

export const refusal = (code: number, message?: string): Refusal => new Refusal({ code, message });

export const failure = ({
  code,
  status = statuses[code] ?? 400,
  message = messages[code] ?? "An error occurred",
}: Failure): Answer => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

const statuses: Readonly<Record<number, number>> = { 20003: 401, 20404: 404, 20429: 429, 20500: 500, 20503: 503 };

export const messages: Readonly<Record<number, string>> = {
  20003: "Authenticate",
  20404: "The requested resource was not found",
  20429: "Too Many Requests",
  21604: "A 'To' phone number is required.",
  21609: "The 'StatusCallback' URL is not a valid URL.",
  21610: "Attempt to send to unsubscribed recipient",
  21617: "The concatenated message body exceeds the 1600 character limit.",
  21619: "A text message body or media urls must be specified.",
  21620: "Invalid media URL(s)",
  21655: "The ContentSid is Invalid",
  21656: "The ContentVariables Parameter is invalid",
  63007: "Twilio could not find a Channel with the specified From address",
  63016: "Failed to send freeform message because you are outside the allowed window. Please use a Template.",
  63018: "Rate limit exceeded for Channel",
  63024: "Invalid message recipient",
};
