import { STATUS_CODES } from "node:http";
import { type Answer, type Failure, Refusal } from "../core/route.ts";

/** The refusal of a request. `said` is the message in the answer. */
export const refusal = (status: number, said: unknown): Refusal => new Refusal({ code: status, details: said });

export const validationError = (what: string): Refusal => refusal(400, [[`instance ${what}`]]);

/** The provider's error codes are HTTP statuses. */
export function failure({
  code,
  status = code >= 400 && code <= 599 ? code : 400,
  message = STATUS_CODES[status],
  details = [message],
}: Failure): Answer {
  return { status, body: { status, error: STATUS_CODES[status], response: { message: details } } };
}
