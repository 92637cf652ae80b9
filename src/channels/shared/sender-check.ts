import type { ClaimedSender } from "../../messaging/public.ts";
import type { Verdict } from "../channel.ts";

/** There was no answer, or it cannot be read. */
export class NoAnswer extends Error {}

export const unconfirmed = (field: keyof ClaimedSender): Verdict => ({ unconfirmed: field });
