import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/sandbox/core/random.ts";
import { serve } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import type { Outcome, Victim } from "./scenario.ts";

interface Delivery {
  readonly id: string;
  readonly chat: number;
  readonly number: number;
}

/** Milliseconds until all messages must be delivered. The platform and the service retry for longer than this. */
const deliveredMs = 120_000;
const customers = 5;

/**
 * Kills the process while webhooks are delivered to a business. Each message must be delivered at least once and always
 * with the same id. The messages of a chat must arrive in order.
 */
export async function dieWhileEventsAreDelivered(
  victim: Victim,
  first: number,
  random: Random,
  { rounds, parallel }: { readonly rounds: number; readonly parallel: number },
): Promise<Outcome> {
  const deliveries: Delivery[] = [];
  const receiver = await serve(async (request, response) => {
    const { data } = JSON.parse(await text(request));
    const id = String(request.headers["webhook-id"]);
    deliveries.push({ id, chat: data.chat_id, number: data.seq });
    // The delay lets kills hit deliveries that have no answer yet.
    await sleep(random.between(1, 20));
    response.writeHead(200).end();
  });
  const hook = await victim
    .administer<{ id: number }>("POST", "/admin/webhooks", { url: `${receiver.url}/`, events: ["message.new"] })
    .catch(async (error) => {
      await receiver.close();
      throw error;
    });
  try {
    for (let round = 0; round < rounds; round += 1) {
      const said = Array.from({ length: parallel }, (_, n) => {
        const number = `592${20_000_000 + first + (n % customers)}`;
        const saying = { id: `wamid.event-${first}-${round}-${n}`, text: `Hola ${n}` };
        return victim.control("POST", `/customers/${number}/say`, saying);
      });
      // The kill must hit a random moment.
      await sleep(random.between(50, 400));
      await victim.kill();
      await Promise.all(said);
      // Ends the leases of the killed process.
      await victim.rows("update webhook_progress set lease_until = now()");
      await victim.startAgain();
    }
    const messages = () =>
      victim.rows<{ number: number }>(`
        select number from realtime_events join messages on messages.business_id = realtime_events.business_id
          and messages.id = (payload -> 'message' ->> 'id')::bigint
        where name = 'message:new' and platform_message_id like 'wamid.event-${first}-%'`);
    const isDelivered = ({ number }: { number: number }) => deliveries.some((one) => one.number === number);
    const rows = await eventually(async () => {
      const found = await messages();
      return found.length === rounds * parallel && found.every(isDelivered) && found;
    }, deliveredMs).catch(messages);

    const violations = rows.filter((row) => !isDelivered(row)).map(({ number }) => `event ${number} was not delivered`);
    if (rows.length < rounds * parallel) violations.push(`${rows.length} messages of ${rounds * parallel} are stored`);
    violations.push(...orderViolations(deliveries));
    return { figures: { events: rows.length, kills: rounds, repeats: deliveries.length - rows.length }, violations };
  } finally {
    await victim.administer("PUT", `/admin/webhooks/${hook.id}`, {
      url: `${receiver.url}/`,
      events: ["message.new"],
      disabled: true,
    });
    await receiver.close();
  }
}

/** Finds events that came after a later event of their chat, and repetitions with another id. */
function orderViolations(deliveries: readonly Delivery[]): string[] {
  const ids = new Map<number, string>();
  const last = new Map<number, number>();
  return deliveries.flatMap(({ id, chat, number }) => {
    const known = ids.get(number);
    if (known !== undefined) return known === id ? [] : [`event ${number} was delivered as ${known} and as ${id}`];
    ids.set(number, id);
    const before = last.get(chat) ?? 0;
    last.set(chat, number);
    return before < number ? [] : [`event ${number} was delivered after ${before} of the same chat`];
  });
}
