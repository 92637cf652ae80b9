import { randomBytes } from "node:crypto";
import type { Shared } from "../core/accepted.ts";
import { Ring } from "../core/bounded.ts";
import { dialled, fieldsIn } from "../core/input.ts";
import { type Answer, type Call, ok, type Platform } from "../core/route.ts";

interface AcceptedSms {
  readonly id: string;
  readonly at: string;
  readonly to: string;
  readonly text: string;
  readonly reference: string | undefined;
}

const keptMessages = 10_000;

/** A provider of SMS: takes texts as JSON. It knows no accounts, and tells of no deliveries. */
export function smsPlatform(shared: Shared): Platform {
  const accepted = new Ring<AcceptedSms>(keptMessages);

  function send({ body }: Call): Answer {
    const { to, text, reference } = fieldsIn(body) ?? {};
    const number = typeof to === "string" ? dialled(to) : null;
    if (number === null) return refused(21211, "to must be a phone number of 8 to 15 digits");
    if (typeof text !== "string" || text === "") return refused(21602, "text is required");
    if (shared.undeliverable.has(number)) return refused(21614, "the number cannot be reached");
    const id = `SM${randomBytes(16).toString("hex")}`;
    const at = new Date().toISOString();
    accepted.push({ id, at, to: number, text, reference: typeof reference === "string" ? reference : undefined });
    return { status: 201, body: { id } };
  }

  return {
    routes: [{ method: "POST", path: "/sms/messages", operation: "sms", handle: send }],
    control: [
      {
        method: "GET",
        path: "/__sandbox/sms",
        about: "SMS that were accepted, newest last; ?to=",
        handle({ query }) {
          const to = query.get("to");
          return ok([...accepted.newestFirst()].filter((sms) => to === null || sms.to === to).reverse());
        },
      },
    ],
    failure: ({ code, status = 400, message = "refused" }) => refused(code, message, status),
    reset: () => accepted.clear(),
    close() {},
  };
}

const refused = (code: number, message: string, status = 400): Answer => ({ status, body: { code, message } });
