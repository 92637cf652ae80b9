import { BadInput, integer, optional, shape } from "./input.ts";
import { type ControlRoute, ok } from "./route.ts";
import { controlInput } from "./server.ts";
import type { Windows } from "./windows.ts";

const readSaying = shape({ timestamp: optional(integer(0, 10_000_000_000)) });

/** A route by which a customer writes to a sender, so that it may answer; no webhook tells of it. */
export const sayRoute = (
  path: `${string}/{sender}/customers/{customer}/say`,
  windows: Windows,
  isSender: (id: string) => boolean,
): ControlRoute => ({
  method: "POST",
  path,
  about: "a customer writes to it, which opens its 24 hours and sends no webhook: {timestamp}",
  handle(call) {
    const { sender = "", customer = "" } = call.path;
    if (!isSender(sender)) throw new BadInput(`there is no ${sender.slice(0, 100)}`);
    const { timestamp } = readSaying(controlInput(call), "body");
    const at = timestamp === undefined ? Date.now() : timestamp * 1_000;
    windows.hear(sender, customer, at);
    return ok({ at: new Date(at).toISOString() });
  },
});
