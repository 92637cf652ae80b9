import { expect } from "chai";
import { cellsOf } from "../../src/bootstrap/config.ts";
import { moverOf } from "../../src/bootstrap/mover.ts";
import type { MoveProgress } from "../../src/infra/postgres/moving/move-business.ts";
import { secondCell } from "../support/two-cells.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aWebhook, startWorld, type World } from "../support/world.ts";

type Schema = "public" | typeof secondCell;

interface Entries {
  readonly entry: readonly object[];
}

const aMessage = (businessId: number, id: string): Entries => {
  const from = `5917771000${businessId}`;
  const message = { id: `${id}-${businessId}`, from, timestamp: "1767225600", type: "text", text: { body: "Hola" } };
  return aWebhook(businessId, { messages: [message] }) as Entries;
};

const together = (...webhooks: readonly Entries[]): object => ({
  object: "whatsapp_business_account",
  entry: webhooks.flatMap(({ entry }) => entry),
});

/** All senders belong to this account. */
const account = "account-1";

const aboutAccount = (time: number, field: string, value: object): Entries => ({
  entry: [{ id: account, time, changes: [{ field, value }] }],
});

describe("a webhook about several businesses while one of them moves", () => {
  let world: World;
  const { TEST_CELLS } = process.env;

  before(async () => {
    process.env.TEST_CELLS = "2";
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2), aBusiness(3)] });
    await world.rows("update senders set account_id = $1", [account]);
    await world.rows("update templates set platform_name = 'offer'");
  });

  after(async () => {
    await world?.stop();
    if (TEST_CELLS === undefined) delete process.env.TEST_CELLS;
    else process.env.TEST_CELLS = TEST_CELLS;
  });

  const query = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    world.database.rows<Row>({ name: "", text }, values);

  const move = (businessId: number, to: string, report: (progress: MoveProgress) => void = () => {}): Promise<void> =>
    moverOf(cellsOf(world.config)).move(businessId, to, report);

  /** The ids of the businesses that have messages of this webhook in this cell. */
  const storedIn = async (schema: Schema, id: string): Promise<number[]> => {
    const text = `
      select business_id::float8 as business from ${schema}.messages
      where platform_message_id like $1 || '-%' order by business_id`;
    return (await query<{ business: number }>(text, [id])).map(({ business }) => business);
  };

  const allWorkedOff = (): Promise<boolean> =>
    eventually(async () => {
      const left = `select from public.incoming_webhooks union all select from ${secondCell}.incoming_webhooks`;
      return (await query(left)).length === 0;
    });

  const newsIn = async (schema: Schema): Promise<object[]> =>
    query(`
      select sender.business_id::float8 as business, sender.account_news->>'event' as event,
             (select min(platform_status) from ${schema}.templates where business_id = sender.business_id) as template
      from ${schema}.senders as sender
      where sender.provider = 'platform-apicloud' and sender.business_id in (1, 3) order by 1`);

  it("is processed for it in the new cell, and for the others in the old one, if it was stored before", async () => {
    const payload = together(
      aMessage(1, "early"),
      aMessage(3, "early"),
      aboutAccount(1_767_225_700, "account_update", { event: "ACCOUNT_VIOLATION" }),
      aboutAccount(1_767_225_700, "message_template_status_update", {
        event: "PAUSED",
        message_template_id: 1,
        message_template_name: "offer",
        message_template_language: "es",
      }),
    );
    await query(
      `insert into public.incoming_webhooks (payload, provider, due_at)
       values ($1, 'platform-apicloud', now() + interval '1 hour')`,
      [JSON.stringify(payload)],
    );
    await move(1, secondCell);
    await query("update public.incoming_webhooks set due_at = now() - interval '1 second'");
    await allWorkedOff();
    expect(await storedIn("public", "early")).to.deep.equal([3]);
    expect(await storedIn(secondCell, "early")).to.deep.equal([1]);
    const told = { event: "ACCOUNT_VIOLATION", template: "PAUSED" };
    expect((await newsIn(secondCell)).find((row) => (row as { business: number }).business === 1)).to.include(told);
    expect((await newsIn("public")).find((row) => (row as { business: number }).business === 3)).to.include(told);
  });

  it("is processed once for each business if it arrives later", async () => {
    expect((await world.webhook(together(aMessage(1, "late"), aMessage(3, "late")))).status).to.equal(200);
    await allWorkedOff();
    expect(await storedIn("public", "late")).to.deep.equal([3]);
    expect(await storedIn(secondCell, "late")).to.deep.equal([1]);
  });

  it("is processed only in its old cell while it is being copied", async () => {
    class Killed extends Error {}
    const killed = await move(3, secondCell, ({ what }) => {
      if (what === "compared") throw new Killed();
    }).catch((error: unknown) => error);
    expect(killed).to.be.instanceOf(Killed);
    expect((await world.webhook(together(aMessage(2, "amid"), aMessage(3, "amid")))).status).to.equal(200);
    await allWorkedOff();
    expect(await storedIn("public", "amid")).to.deep.equal([3]);
    expect(await storedIn(secondCell, "amid")).to.deep.equal([2]);
    await move(3, secondCell);
    expect(await storedIn(secondCell, "amid")).to.deep.equal([2, 3]);
  });
});
