import { expect } from "chai";
import pg from "pg";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import type { Queries, Statement } from "../../src/infra/postgres/database.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { claim } from "../../src/messaging/adapters/postgres/campaigns/campaign-claim.ts";
import { PostgresCampaignControl } from "../../src/messaging/adapters/postgres/campaigns/campaign-control.ts";
import { PostgresCampaignRecipients } from "../../src/messaging/adapters/postgres/campaigns/campaign-recipients.ts";
import { PostgresCampaignStatuses } from "../../src/messaging/adapters/postgres/campaigns/campaign-statuses.ts";
import { openDatabase } from "../support/open-database.ts";
import { eventually } from "../support/wait.ts";

/** Two campaigns of one sender with five recipients each, among other campaigns. Foreign keys are disabled. */
const campaignsIn = (state: string): string => `
  set session_replication_role = replica;
  truncate senders cascade;
  insert into senders (business_id, id, provider, platform_id, account_id, phone, sealed_token, fence)
  values (1, 1, '${cloudChannel}', 'number-1', 'account-1', '591', '', 1);
  insert into campaigns (business_id, id, name, user_id, template_id, step_id, sender_id, tags, template, state,
                         timezone, total)
  select 1, id, 'Promo', 1, 1, 1, 1, '{}', '{}', case when id > 2 then 'completed' else 'running' end, 'UTC', 5
  from generate_series(1, 40) as id;
  -- They lie in the table in the order opposite to that of their keys.
  insert into campaign_recipients (business_id, campaign_id, position, contact_id, phone, parameters, attempt, state,
                                   reference, lease_until)
  select 1, id, position, position, '591', '{}', 1, '${state}', md5(id || '.' || position)::uuid,
         case when '${state}' = 'sending' then now() end
  from generate_series(1, 2) as id, generate_series(1, 5) as position order by id desc, position desc;
  insert into campaign_recipients (business_id, campaign_id, position, contact_id, phone, parameters, state)
  select 1, id, position, position, '591', '{}', 'read'
  from generate_series(3, 40) as id, generate_series(1, 100) as position;
  analyze campaigns, campaign_recipients;
  set session_replication_role = origin`;

/** Unlike the service's connections, this connection does not repeat a transaction after a deadlock. */
class Connection implements Queries {
  private constructor(
    private readonly client: pg.Client,
    readonly pid: number,
  ) {}

  static async open(url: string): Promise<Connection> {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    return new Connection(client, rows[0]?.pid ?? 0);
  }

  async rows<Row extends object>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    return (await this.client.query<Row>({ name, text, values: [...values] })).rows;
  }

  async run(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.client.query(statement);
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

const positions = [1, 2, 3, 4, 5];

interface Mover {
  /** The recipients' state before the move. */
  readonly state: string;
  readonly campaignIds: readonly number[];
  /** The recipient that is locked until both transactions wait. */
  readonly held: { readonly campaignId: number; readonly position: number };
  readonly move: (own: Connection) => Promise<unknown>;
}

const movers: Readonly<Record<string, Mover>> = {
  "a worker's outcomes": {
    state: "sending",
    campaignIds: [1, 2],
    held: { campaignId: 1, position: 3 },
    move: (own) =>
      new PostgresCampaignRecipients(own).settle(
        1,
        [2, 1].flatMap((campaignId) =>
          positions.map((position) => ({
            ...{ campaignId, position, contactId: position, parameters: [], reference: "", attempt: 1 },
            state: "sent" as const,
          })),
        ),
      ),
  },
  "a worker's claim": {
    state: "queued",
    campaignIds: [1, 2],
    held: { campaignId: 2, position: 1 },
    // Campaign 1 was served last (the fifth value), so the claim finds the recipients of campaign 2 first.
    move: (own) => own.rows(claim, [1, 1, 1, 10, 1, 10, 10]),
  },
  "an operator's retry": {
    state: "failed",
    campaignIds: [1],
    held: { campaignId: 1, position: 3 },
    move: (own) => new PostgresCampaignControl(oneCell(own)).apply(1, 1, "retry-failed"),
  },
};

/** Settings that make the planner join in different ways. */
const joins = {
  "by the planner's choice": [],
  "by hash": ["set enable_nestloop = off", "set enable_mergejoin = off"],
  "by merging": ["set enable_nestloop = off", "set enable_hashjoin = off"],
  "row by row": ["set enable_hashjoin = off", "set enable_mergejoin = off"],
  "without indexes": ["set enable_indexscan = off", "set enable_bitmapscan = off"],
};

/**
 * All transactions lock recipients in the order of their keys, so that they cannot deadlock. Each test locks one
 * recipient until both transactions wait. After the release, transactions with different orders would deadlock.
 */
describe("transactions that change the same recipients of campaigns", () => {
  let opened: Awaited<ReturnType<typeof openDatabase>>;
  before(async () => {
    opened = await openDatabase();
  });
  after(() => opened.close());
  let connections: Connection[] = [];
  beforeEach(async () => {
    connections = await Promise.all([1, 2, 3].map(() => Connection.open(opened.url)));
  });
  afterEach(async () => {
    for (const connection of connections) await connection.end();
  });

  const waits = ({ pid }: Connection) =>
    eventually(async () => {
      const statement = { name: "", text: "select from pg_locks where pid = $1 and not granted" };
      return (await opened.database.rows(statement, [pid])).length > 0;
    });

  for (const [who, { state, campaignIds, held, move }] of Object.entries(movers)) {
    for (const [how, settings] of Object.entries(joins)) {
      it(`do not deadlock: ${who} and delivery statuses, joined ${how}`, async () => {
        const [holder, mover, listener] = connections as [Connection, Connection, Connection];
        await holder.run(campaignsIn(state), "begin");
        await holder.run(
          `select from campaign_recipients where campaign_id = ${held.campaignId} and position = ${held.position}
           for no key update`,
        );
        // PostgreSQL may use a generic plan after five runs of a statement. This setting forces one in the first run.
        await mover.run("set plan_cache_mode = force_generic_plan", ...settings, "begin");
        const moved = move(mover).finally(() => mover.run("commit"));
        await waits(mover);
        const references = await opened.database.rows<{ reference: string }>(
          { name: "", text: "select reference from campaign_recipients where campaign_id = any($1)" },
          [campaignIds],
        );
        await listener.run("begin");
        const heard = new PostgresCampaignStatuses(listener, cloudChannel)
          .apply(
            references.map(({ reference }) => ({
              ...{ sender: "number-1", platformMessageId: `wamid.${reference}`, reference, state: "read" },
            })),
          )
          .finally(() => listener.run("commit"));
        await waits(listener);
        await holder.run("rollback");
        const outcomes = await Promise.allSettled([moved, heard]);
        expect(outcomes.map((outcome) => "reason" in outcome && outcome.reason.message)).to.deep.equal([false, false]);
      });
    }
  }
});
