import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../src/sandbox/core/random.ts";
import { eventually } from "../support/wait.ts";
import type { Outcome, Victim } from "./scenario.ts";

interface Stored {
  readonly id: string;
  readonly times: number;
  readonly announced: number;
}

/**
 * Milliseconds until all messages must be stored. This is long because a busy machine starts processes slowly. The
 * platform retries for even longer.
 */
const storedMs = 120_000;
const customers = 7;

/**
 * Kills the process while customers write. The platform sends some webhooks twice, and repeats each webhook until it is
 * answered with 200. Each message must be stored and announced exactly once.
 */
export async function dieWhileCustomersWrite(
  victim: Victim,
  first: number,
  random: Random,
  { rounds, parallel }: { readonly rounds: number; readonly parallel: number },
): Promise<Outcome> {
  const ids: string[] = [];
  let redelivered = 0;
  for (let round = 0; round < rounds; round += 1) {
    const said = Array.from({ length: parallel }, async (_, n) => {
      const id = `wamid.said-${first}-${round}-${n}`;
      ids.push(id);
      const number = `592${10_000_000 + first + (n % customers)}`;
      const saying = { id, text: `Hola ${n}`, repeat: random.between(1, 2) };
      const { delivered } = await victim.control<{ delivered: boolean }>("POST", `/customers/${number}/say`, saying);
      if (!delivered) redelivered += 1;
    });
    // The kill must hit a random moment.
    await sleep(random.between(20, 250));
    await victim.kill();
    await Promise.all(said);
    await victim.startAgain();
  }

  const stored = () =>
    victim.rows<Stored>(`
      with announced as (
        select business_id, (payload->'message'->>'id')::bigint as id, count(*)::int as times
        from realtime_events where name = 'message:new' group by 1, 2
      )
      select platform_message_id as id, count(*)::int as times, coalesce(sum(announced.times), 0)::int as announced
      from messages as message left join announced using (business_id, id)
      where direction = 'in' and platform_message_id like 'wamid.said-${first}-%'
      group by platform_message_id`);
  const rows = await eventually(async () => {
    const found = await stored();
    const [waiting] = await victim.rows<{ count: number }>("select count(*)::int as count from incoming_webhooks");
    return waiting?.count === 0 && found.length === ids.length && found;
  }, storedMs).catch(stored);

  const violations = rows.flatMap(({ id, times, announced }) => [
    ...(times === 1 ? [] : [`${id} is stored ${times} times`]),
    ...(announced === 1 ? [] : [`${id} was announced ${announced} times`]),
  ]);
  const lost = ids.filter((id) => !rows.some((row) => row.id === id));
  if (lost.length > 0) violations.push(`lost: ${lost.join(", ")}`);
  const threads = await victim.rows<{ chat_id: number; open: number }>(`
    select chat_id, count(*)::int as open from conversations
    where closed_at is null group by chat_id having count(*) > 1`);
  if (threads.length > 0) violations.push(`${threads.length} chats have more than one open conversation`);
  return { figures: { said: ids.length, kills: rounds, redelivered, stored: rows.length }, violations };
}
