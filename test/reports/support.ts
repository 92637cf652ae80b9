import type { World } from "../support/world.ts";

interface RecordFields {
  /** The next free id unless given. */
  readonly id?: number;
  readonly type: "sale" | "quotation";
  readonly chat_id: number;
  readonly agent_id: number | null;
  readonly amount: number | string;
  readonly currency: string;
  readonly base_amount: number | string;
  readonly source: string;
  readonly closed: boolean;
  readonly ad_id: string | null;
  readonly at: string;
}

type Rows = Pick<World, "rows">;

/** Adds a record. By default, it is a closed organic sale of 100 BOB at noon of 2026-03-10 in La Paz. */
export async function addRecord(world: Rows, businessId: number, changes: Partial<RecordFields> = {}): Promise<number> {
  const amount = changes.amount ?? 100;
  const fields: RecordFields = {
    type: "sale",
    chat_id: businessId * 100 + 1,
    agent_id: null,
    amount,
    currency: "BOB",
    base_amount: changes.base_amount ?? amount,
    source: "message",
    closed: true,
    ad_id: null,
    at: noon,
    ...changes,
  };
  const [row] = await world.rows<{ id: number }>(
    `insert into registrations (business_id, rate, rate_date, base_currency, ${Object.keys(fields).join(", ")})
     select id, 1, '2026-03-10', base_currency(feature_flags), ${Object.keys(fields).map((_, index) => `$${index + 2}`)}
     from businesses where id = $1 returning id`,
    [businessId, ...Object.values(fields)],
  );
  return row?.id ?? 0;
}

const noon = "2026-03-10T16:00:00Z";

/** Adds a closed conversation of the first chat. */
export async function addConversation(
  world: Rows,
  businessId: number,
  changes: { readonly at?: string; readonly ai?: number | null; readonly agent?: number | null } = {},
): Promise<number> {
  const { at = noon, ai = null, agent = null } = changes;
  const [row] = await world.rows<{ id: number }>(
    `insert into conversations (business_id, chat_id, state, created_at, closed_at, ai_temperature, agent_temperature)
     values ($1, $2, 'bot', $3, now(), $4, $5) returning id`,
    [businessId, businessId * 100 + 1, at, ai, agent],
  );
  return row?.id ?? 0;
}

export async function addTicket(
  world: Rows,
  businessId: number,
  state: string,
  changes: { readonly at?: string; readonly agentId?: number } = {},
): Promise<number> {
  const { at = noon, agentId = businessId * 100 + 2 } = changes;
  const first = businessId * 100 + 1;
  const isOpen = state === "pending" || state === "in_progress";
  if (isOpen) {
    // A chat can have only one open ticket per step, so each open ticket gets a new step.
    await world.rows(
      `insert into steps (business_id, id, name, identifier, type) values ($1, $2::bigint, 'Paso', 'step ' || $2::bigint, 'ticket')
       on conflict do nothing`,
      [businessId, nextStep(businessId)],
    );
  }
  const [row] = await world.rows<{ id: number }>(
    `insert into tickets (business_id, chat_id, conversation_id, step_id, agent_id, state, created_at, closed_at)
     values ($1, $2, $2, $3, $4, $5, $6, case when $7 then null else now() end) returning id`,
    [businessId, first, isOpen ? lastStep(businessId) : first, agentId, state, at, isOpen],
  );
  return row?.id ?? 0;
}

const steps = new Map<number, number>();
const lastStep = (businessId: number): number => steps.get(businessId) ?? businessId * 1_000;
function nextStep(businessId: number): number {
  steps.set(businessId, lastStep(businessId) + 1);
  return lastStep(businessId);
}

export async function assignTag(
  world: Rows,
  businessId: number,
  name: string,
  times: number,
  changes: { readonly at?: string; readonly type?: string } = {},
): Promise<void> {
  const { at = noon, type = "assigned_tag" } = changes;
  await world.rows(
    `with tag as (
       insert into tags (business_id, name) values ($1, $2)
       on conflict (business_id, name) do update set name = excluded.name returning id)
     insert into funnel_events (business_id, type, chat_id, tag_id, at)
     select $1, $3, $4, tag.id, $5 from tag, generate_series(1, $6)`,
    [businessId, name, type, businessId * 100 + 1, at, times],
  );
}

/** The fields of each record, parsed as in RFC 4180. */
export function csvRecordsOf(csv: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, plain = "", end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    record.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") continue;
    records.push(record);
    record = [];
  }
  return records;
}
