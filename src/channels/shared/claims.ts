import type { ClaimedSender } from "../../messaging/public.ts";
import type { Verdict } from "../channel.ts";

/** Nothing can be made of what came back, or nothing came. */
export class NoAnswer extends Error {}

export const unconfirmed = (field: keyof ClaimedSender): Verdict => ({ unconfirmed: field });
