import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect } from "chai";
import { cellsOf, readConfig } from "../../src/bootstrap/config.ts";
import { bringMovedIncoming, RoutedIncoming, upkeepOf } from "../../src/bootstrap/incoming-cells.ts";
import { resolve } from "../../src/bootstrap/provide.ts";
import { startService } from "../../src/bootstrap/service.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { WebhookOrigin } from "../../src/inbox/application/incoming/ports.ts";
import { noNews } from "../../src/inbox/domain/incoming.ts";
import type { WebhookReaders } from "../../src/inbox/public.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { DatabaseUnavailable } from "../../src/kernel/errors.ts";
import { request } from "../support/http.ts";
import { secondCell } from "../support/two-cells.ts";
import { eventually } from "../support/wait.ts";
import { aWebhook, startWorld, type World } from "../support/world.ts";

const needed = {
  DATABASE_URL: "postgres://db/recado",
  MASTER_SECRET: "a master secret that is good for tests only",
  MESSAGING_PLATFORM_URL: "https://platform.test",
  PLATFORM_APP_SECRET: "app secret",
  PLATFORM_VERIFY_TOKEN: "verify token",
};
const configWith = (cells: string) => readConfig({ ...needed, CELLS: cells });

describe("the setting of cells", () => {
  it("adds databases and schemas to the first cell, which needs no setting", () => {
    expect(cellsOf(readConfig(needed)).map(({ name }) => name)).to.deep.equal(["c1"]);
    const cells = cellsOf(configWith('{"c2":{"url":"postgres://other/recado"},"c3":{"schema":"c3"}}'));
    expect(cells.map(({ name, url, schema }) => [name, url, schema])).to.deep.equal([
      ["c1", "postgres://db/recado", undefined],
      ["c2", "postgres://other/recado", undefined],
      ["c3", "postgres://db/recado", "c3"],
    ]);
  });

  it("is refused if it is not JSON, or names the first cell or a place twice", () => {
    expect(() => configWith("c2")).to.throw("CELLS must be object");
    expect(() => configWith('{"c1":{"schema":"c1"}}')).to.throw("CELLS must not name c1");
    expect(() => configWith('{"c2":{}}')).to.throw("CELLS names a database, or a schema of one, twice");
    expect(() => configWith('{"c2":{"schema":"public"}}')).to.throw("twice");
    expect(() => configWith('{"c2":{"schema":"x"},"c3":{"schema":"x"}}')).to.throw("twice");
    expect(() => configWith('{"c2; drop":{"schema":"x"}}')).to.throw("bad configuration");
  });
});

describe("webhooks for several cells", () => {
  /** A payload is a list of senders, separated by spaces. A `*` in the list is a notice about an account. */
  const readers = {
    [cloudChannel]: (payload: string) => ({
      ...noNews,
      messages: payload.split(" ").flatMap((sender) => (sender === "*" ? [] : [{ sender }])),
      accounts: payload.includes("*") ? [{ account: "a" }] : [],
    }),
  } as unknown as WebhookReaders;
  const cloud: WebhookOrigin = { channel: cloudChannel, about: null };
  let kept: [cell: string, businessId: number | undefined][];
  let webhooks: RoutedIncoming;
  beforeEach(() => {
    kept = [];
    const keeper = (cell: string) => ({
      keep: async (_: string, { businessId }: WebhookOrigin) => void kept.push([cell, businessId]),
    });
    webhooks = new RoutedIncoming(
      new Map(["c1", "c2"].map((cell) => [cell, keeper(cell)])),
      {
        names: {
          businessOf: async (_, name) =>
            ({ [`${cloudChannel} one`]: 1, [`${cloudChannel} two`]: 2, [`${cloudChannel} four`]: 4 })[name],
        },
        locations: {
          find: async (id) => ({ cell: id % 2 === 0 ? "c2" : "c1", isMoving: false }),
        },
      },
      readers,
    );
  });

  const expectations: readonly [what: string, payload: string, where: typeof kept][] = [
    ["about one business are stored in its cell, and wait with it", "two two", [["c2", 2]]],
    ["about several businesses of a cell are stored there once", "two four", [["c2", undefined]]],
    [
      "about businesses of two cells are stored in both",
      "one two",
      [
        ["c1", undefined],
        ["c2", undefined],
      ],
    ],
    [
      "about an account are stored in all cells",
      "two *",
      [
        ["c1", undefined],
        ["c2", undefined],
      ],
    ],
    ["about unknown businesses are stored in the first cell", "unknown", [["c1", undefined]]],
  ];
  for (const [what, payload, where] of expectations) {
    it(what, async () => {
      await webhooks.keep(payload, cloud);
      expect(kept).to.deep.equal(where);
    });
  }
});

describe("webhooks that are stored in several cells", () => {
  const away = new DatabaseUnavailable(new Error("this cell is down"), false);
  const upkeepIn = (count: () => Promise<number>) => ({
    counts: async () => ({ due: await count(), postponed: 1, givenUp: 2 }),
    retryGivenUp: count,
    purge: count,
  });

  it("are counted without unavailable cells, but not as zero if all are unavailable", async () => {
    const [three, four, down] = [async () => 3, async () => 4, () => Promise.reject(away)].map(upkeepIn);
    const some = upkeepOf([three, down, four].flatMap((each) => each ?? []));
    expect(await some.counts()).to.deep.equal({ due: 7, postponed: 2, givenUp: 4 });
    expect(await some.retryGivenUp()).to.equal(7);
    const none = upkeepOf([down, down].flatMap((each) => each ?? []));
    for (const asked of [none.counts(), none.retryGivenUp(), none.purge(7)]) {
      expect(await asked.catch((error: unknown) => error)).to.equal(away);
    }
  });

  it("cause an error if a cell fails for another reason than an outage", async () => {
    const broken = new Error("no such column");
    const upkeep = upkeepOf([upkeepIn(async () => 3), upkeepIn(() => Promise.reject(broken))]);
    expect(await upkeep.purge(7).catch((error: unknown) => error)).to.equal(broken);
  });

  it("follow their business to its new cell, even if 100 older webhooks wait for a cell that is down", async () => {
    const done: string[] = [];
    const row = { payload: "{}", channel: cloudChannel, platformId: null, senderId: null, receivedAt: new Date() };
    const older = Array.from({ length: 100 }, (_, n) => ({ ...row, id: n, businessId: 3 }));
    let kept = [...older, { ...row, id: 100, businessId: 2 }];
    const cell = (name: string, answer: (except: number[]) => Promise<object[]>) => {
      const rows = async ({ name: statement }: { readonly name: string }, [first]: readonly unknown[]) => {
        if (statement === "webhooks_of_away")
          return answer(JSON.parse(String(first).replace("{", "[").replace("}", "]")));
        if (name === "c4") throw away;
        if (statement === "webhook_remove") kept = kept.filter(({ id }) => !(first as number[]).includes(id));
        done.push(`${name} ${statement}`);
        return [];
      };
      return [name, { rows, transaction: () => Promise.reject(away) }] as const;
    };
    const cells = new Map([
      cell("c1", () => Promise.reject(away)),
      cell("c2", async (except) => kept.filter(({ businessId }) => !except.includes(businessId)).slice(0, 100)),
      cell("c3", async () => []),
      cell("c4", async () => []),
    ]) as unknown as Parameters<typeof bringMovedIncoming>[0];
    const find = async (id: number) => ({ cell: id === 3 ? "c4" : "c3", isMoving: false });
    await bringMovedIncoming(cells, { locations: { find } });
    expect(done).to.deep.equal(["c3 webhook_bring", "c2 webhook_remove"]);
    expect(kept).to.deep.equal(older);
  });
});

describe("a service whose businesses live in two cells", () => {
  const given = process.env.TEST_CELLS;
  let world: World;
  before(async () => {
    process.env.TEST_CELLS = "2";
    world = await startWorld();
  });
  after(async () => {
    if (given === undefined) delete process.env.TEST_CELLS;
    else process.env.TEST_CELLS = given;
    await world.stop();
  });

  const inCell = async (schema: string, table: string, businessId: number): Promise<number> => {
    const column = table === "businesses" ? "id" : "business_id";
    const text = `select count(*)::integer as count from ${schema}.${table} where ${column} = $1`;
    const [row] = await world.database.rows<{ count: number }>({ name: "", text }, [businessId]);
    return row?.count ?? 0;
  };

  it("stores messages of customers only in their business's cell", async () => {
    const message = {
      id: "wamid.two-cells",
      from: "59177700001",
      timestamp: "1767225600",
      type: "text",
      text: { body: "Hola" },
    };
    expect((await world.webhook(aWebhook(2, { messages: [message] }))).status).to.equal(200);
    await eventually(async () => (await inCell(secondCell, "messages", 2)) === 2);
    expect(await inCell("public", "messages", 2)).to.equal(0);
  });

  it("creates businesses in the emptier cell, where users can sign in as usual", async () => {
    const made = await resolve(world.container, tokens.createBusiness).execute("Nuevo", "nueva@cells.test");
    const there = await inCell(secondCell, "businesses", made.businessId);
    expect(there + (await inCell("public", "businesses", made.businessId))).to.equal(1);
    const signIn = (password: string) =>
      request(`${world.api}/auth/session`, { method: "POST", body: { email: "Nueva@cells.test", password } });
    expect((await signIn(made.password)).status).to.equal(200);
    expect((await signIn("otra contraseña")).status).to.equal(401);
    const again = await resolve(world.container, tokens.createBusiness)
      .execute("Otro", "nueva@cells.test")
      .catch((error: Error) => error.message);
    expect(again).to.equal("nueva@cells.test is in use");
  });

  it("is ready", async () => {
    expect((await request(`${world.api}/readyz`)).status).to.equal(200);
  });

  it("is ready soon after its start if one of the cells accepts connections and never answers", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on("error", () => {})));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const url = `postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/recado`;
    const cells = { ...world.config.cells, c3: { url } };
    await world.rows("insert into directory_cells (name, number) values ('c3', 3)");
    const service = await startService({ ...world.config, role: "api", cells });
    try {
      const ready = async () => (await request(`http://127.0.0.1:${service.port}/readyz`)).status === 200;
      await eventually(ready, 10_000);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
      await service.stop();
      await world.rows("delete from directory_cells where name = 'c3'");
    }
  });
});
