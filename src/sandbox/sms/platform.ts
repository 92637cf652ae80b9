import { randomBytes } from "node:crypto";
import { Ring } from "../core/bounded.ts";
import { dialled, fieldsIn } from "../core/input.ts";
import { type Call, control, matchesQuery, type Platform, Refusal } from "../core/route.ts";
import type { Shared } from "../core/shared.ts";

interface AcceptedSms {
  readonly id: string;
  readonly at: string;
  readonly to: string;
  readonly text: string;
  readonly reference: string | undefined;
}

const keptMessages = 10_000;

/** A provider of SMS that accepts texts as JSON. It has no accounts and reports no deliveries. */
export function smsPlatform(shared: Shared): Platform {
  const accepted = new Ring<AcceptedSms>(keptMessages);

  function send({ body }: Call): object {
    const { to, text, reference } = fieldsIn(body) ?? {};
    const number = typeof to === "string" ? dialled(to) : null;
    if (number === null) throw new Refusal({ code: 21211, message: "to must be a phone number of 8 to 15 digits" });
    if (typeof text !== "string" || text === "") throw new Refusal({ code: 21602, message: "text is required" });
    if (shared.undeliverable.has(number)) throw new Refusal({ code: 21614, message: "the number cannot be reached" });
    const id = `SM${randomBytes(16).toString("hex")}`;
    const at = new Date().toISOString();
    accepted.push({ id, at, to: number, text, reference: typeof reference === "string" ? reference : undefined });
    return { id };
  }

  return {
    routes: [{ route: "POST /sms/messages", operation: "sms", status: 201, handle: send }],
    control: [
      control("GET /__sandbox/sms", "SMS that were accepted, newest last; ?to=", (_, { query }) =>
        accepted.oldestFirst().filter(({ to }) => matchesQuery(query, "to", to)),
      ),
    ],
    failure: ({ code, status = 400, message = "refused" }) => ({ status, body: { code, message } }),
    reset: () => accepted.clear(),
  };
}
