import { expect } from "chai";
import pg from "pg";
import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aWebhook, signatureOf, startWorld, verifyToken, type World } from "../support/world.ts";

describe("/webhooks/cloud", () => {
  let world: World;
  const warnings: string[] = [];
  before(async () => {
    const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message), error: () => {} };
    world = await startWorld({
      environment: { ROLE: "api" },
      configure: (config) => ({ ...config, metricsKey: "metrics key for tests" }),
      log,
    });
  });
  after(() => world.stop());

  let count = 0;
  const saying = (body: string, id = `wamid.${++count}`) =>
    aWebhook(1, { messages: [{ from: "59176000001", id, timestamp: "1760000000", type: "text", text: { body } }] });
  const bodies = async (): Promise<string[]> => {
    const rows = await world.rows<{ body: string }>("select body from messages where direction = 'in'");
    return rows.map(({ body }) => body);
  };
  const arrives = (body: string) => eventually(async () => (await bodies()).includes(body));
  const expectAnswer = ({ status, type, json }: Answer, expected: [status: number, body: object]): void => {
    expect([status, type, json]).to.deep.equal([expected[0], "application/json", expected[1]]);
  };

  describe("GET proves that the address is this service's", () => {
    const verify = (query: Record<string, string>) =>
      request(`${world.api}/webhooks/cloud?${new URLSearchParams(query)}`);
    const right = { "hub.mode": "subscribe", "hub.verify_token": verifyToken, "hub.challenge": "<b>1158201444</b>" };

    it("and answers the challenge as it came, as plain text", async () => {
      const answer = await verify(right);
      expect(answer).to.include({ status: 200, type: "text/plain", text: right["hub.challenge"] });
    });

    const wrong: [what: string, changes: Record<string, string>][] = [
      ["another token", { "hub.verify_token": "verify tokem" }],
      ["no token", { "hub.verify_token": "" }],
      ["another mode", { "hub.mode": "unsubscribe" }],
    ];
    for (const [what, changes] of wrong) {
      it(`and refuses ${what}`, async () => {
        expectAnswer(await verify({ ...right, ...changes }), [403, { message: "Wrong verify token" }]);
      });
    }

    it("and refuses a repeated or invalid parameter as the caller's mistake", async () => {
      const ask = (query: string) => request(`${world.api}/webhooks/cloud?${query}`);
      expectAnswer(await ask("hub.mode=a&hub.mode=b"), [400, { message: "hub.mode debe ser un texto" }]);
      expectAnswer(await ask("hub.verify_token=%00"), [400, { message: "hub.verify_token no es válido" }]);
    });

    it("and refuses a request without parameters", async () => {
      expectAnswer(await verify({}), [403, { message: "Wrong verify token" }]);
    });
  });

  describe("POST demands the platform's signature over the bytes of the body (Webhook.1)", () => {
    const refused: [number, object] = [401, { message: "Invalid signature" }];
    const stored: [number, object] = [200, { success: true }];

    it("and refuses a body without it, with a wrong one, or with another body's, and stores nothing", async () => {
      const payload = JSON.stringify(saying("forged"));
      const right = signatureOf(payload);
      const hex = right.slice("sha256=".length);
      const wrong = [
        null,
        "",
        "sha256=",
        hex,
        `sha1=${hex}`,
        `${right}0`,
        right.slice(0, -1),
        signatureOf(`${payload} `),
      ];
      for (const signature of wrong) expectAnswer(await world.webhook(payload, signature), refused);
      expectAnswer(await world.webhook(payload.replace("forged", "forgeD"), right), refused);
      await world.webhook(saying("after the forged one"));
      await arrives("after the forged one");
      expect(await bodies()).not.to.include("forged");
      expect(await bodies()).not.to.include("forgeD");
    });

    it("and accepts it for any characters and encodings", async () => {
      const text = "ñandú 😀 你好";
      const written = JSON.stringify(saying(text));
      expectAnswer(await world.webhook(written), stored);
      await arrives(text);
      const escaped = JSON.stringify(saying("escaped ñ/😀")).replace("ñ/😀", "\\u00f1\\/\\ud83d\\ude00");
      expectAnswer(await world.webhook(escaped), stored);
      await arrives("escaped ñ/😀");
      const spaced = ` ${JSON.stringify(saying("spaced"), null, "\t")}\r\n`;
      expectAnswer(await world.webhook(Buffer.from(spaced)), stored);
      await arrives("spaced");
    });

    const unreadable = async (): Promise<number> => {
      const headers = { authorization: "Bearer metrics key for tests" };
      const { text } = await request(`${world.api}/metrics`, { headers });
      return Number(/^webhooks_unreadable_total\{channel="platform-apicloud"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };

    it("and drops, counts and logs a signed body that is not JSON, so that the platform does not repeat it", async () => {
      const before = await unreadable();
      const bodies = ["", "{", "hello", '{"entry":[]}}'];
      for (const body of bodies) expectAnswer(await world.webhook(body), stored);
      expect(await unreadable()).to.equal(before + bodies.length);
      expect(warnings.filter((message) => message.includes("cannot be understood"))).to.have.length(1);
    });

    it("and drops a signed body that is nested deeper than the platform nests its own", async () => {
      const sayingDeep = (levels: number, id: string) =>
        JSON.stringify(saying("deep", id)).replace(
          '"text":{',
          `"text":{"x":${"[".repeat(levels)}${"]".repeat(levels)},`,
        );
      const before = await unreadable();
      for (const levels of [5_000, 1_000_000])
        expectAnswer(await world.webhook(sayingDeep(levels, "wamid.deep")), stored);
      expect(await unreadable()).to.equal(before + 2);
      expect(await world.rows("select from incoming_webhooks where payload like '%wamid.deep%'")).to.deep.equal([]);
      expectAnswer(await world.webhook(sayingDeep(80, "wamid.less")), stored);
      await arrives("deep");
    });

    it("and accepts a signed body of 3 MB, and refuses larger ones than the platform sends", async () => {
      expectAnswer(await world.webhook(saying("x".repeat(3_000_000))), stored);
      await eventually(async () => (await bodies()).some(({ length }) => length === 3_000_000));
      const answer = await world.webhook(saying("x".repeat(4_200_000)));
      expectAnswer(answer, [413, { message: "Request body is too large" }]);
    });
  });

  describe("limits only wrong requests", () => {
    let strict: World;
    before(async () => {
      strict = await startWorld({
        environment: { ROLE: "api", RATE_LIMIT_PER_SECOND: "2", RATE_LIMIT_BURST: "0" },
        configure: (config) => ({ ...config, http: { ...config.http, failedAttemptsPerMinute: 3 } }),
      });
    });
    after(() => strict.stop());
    const statusesOf = async (count: number, send: (index: number) => Promise<Answer>): Promise<number[]> => {
      const statuses: number[] = [];
      for (let index = 0; index < count; index += 1) statuses.push((await send(index)).status);
      return statuses;
    };

    it("since the platform sends the requests of all businesses from a few addresses", async () => {
      const statuses = await statusesOf(10, () => strict.webhook(saying("one of many")));
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      const health = await statusesOf(10, () => request(`${strict.api}/livez`));
      expect(new Set(health)).to.deep.equal(new Set([200]));
    });

    it("and refuses an address that forges requests for a while", async () => {
      expect(await statusesOf(5, () => strict.webhook(saying("forged"), "sha256="))).to.deep.equal([
        401, 401, 401, 429, 429,
      ]);
      expect((await request(`${strict.api}/webhooks/cloud?hub.mode=subscribe`)).status).to.equal(429);
      expect((await strict.webhook(saying("a right one from there"))).status).to.equal(200);
    });
  });

  it("accepts JSON that is not a webhook, since the platform would repeat a refused one for days", async () => {
    const odd = [
      "null",
      "[]",
      "5",
      '"text"',
      "{}",
      '{"entry":5}',
      '{"entry":[{"changes":[{"value":{"messages":7}}]}]}',
    ];
    for (const body of odd) expectAnswer(await world.webhook(body), [200, { success: true }]);
    await eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  });

  it("answers 200 while tables are locked, and handles the webhook afterwards (Webhook.2)", async () => {
    const other = new pg.Client({ connectionString: world.config.database.url });
    await other.connect();
    try {
      await other.query("begin; lock table messages, chats, contacts in access exclusive mode");
      for (const body of ["locked out", "locked out too"]) {
        expectAnswer(await world.webhook(saying(body)), [200, { success: true }]);
      }
      const { rows } = await other.query("select count(*)::int as kept from incoming_webhooks");
      expect(rows).to.deep.equal([{ kept: 2 }]);
      await other.query("commit");
    } finally {
      await other.end();
    }
    await arrives("locked out");
    await arrives("locked out too");
    await eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  });

  it("can stop in the middle of a backlog, which stays for later", async () => {
    const backlog = await startWorld({ environment: { ROLE: "api" } });
    try {
      const waiting = async () => (await resolve(backlog.container, tokens.incomingUpkeep).counts()).due;
      await backlog.rows(
        "insert into incoming_webhooks (payload) select replace($1, 'backlog', 'backlog' || n) from generate_series(1, 5000) as n",
        [JSON.stringify(saying("backlog", "wamid.backlog"))],
      );
      const loop = resolve(backlog.container, tokens.incomingLoop);
      loop.nudge();
      await eventually(async () => (await waiting()) < 5_000);
      await loop.stop();
      expect(await waiting()).to.be.above(0);
    } finally {
      await backlog.stop();
    }
  });

  describe("with a webhook that cannot be handled", () => {
    const queue = () =>
      world.rows<{ attempts: number; error: string | null; gave_up: boolean; waits: boolean }>(
        "select attempts, error, gave_up_at is not null as gave_up, due_at > now() as waits from incoming_webhooks",
      );
    const workOff = () => Promise.all(resolve(world.container, tokens.workOffIncoming).map((each) => each.execute()));
    afterEach(() => world.rows("delete from incoming_webhooks"));

    it("handles all others, even of the same batch", async () => {
      const payloads = Array.from({ length: 5 }, (_, index) =>
        index === 1 ? "no JSON" : JSON.stringify(saying(`beside a bad one ${index}`)),
      );
      await world.rows("insert into incoming_webhooks (payload) select unnest($1::text[])", [payloads]);
      await workOff();
      expect((await bodies()).filter((body) => body.startsWith("beside"))).to.have.members(
        [0, 2, 3, 4].map((index) => `beside a bad one ${index}`),
      );
      const [bad, ...others] = await queue();
      expect(others).to.deep.equal([]);
      expect(bad).to.include({ attempts: 1, gave_up: false, waits: true });
      expect(bad?.error).to.include("JSON");
    });

    it("tries it ten times with growing pauses, and then keeps it for a week for an operator", async () => {
      await world.rows("insert into incoming_webhooks (payload) values ('no JSON')");
      const waits: number[] = [];
      for (let attempt = 1; attempt <= 10; attempt += 1) {
        await workOff();
        await workOff();
        expect((await queue())[0]).to.include({ attempts: attempt, gave_up: attempt === 10 });
        const [wait] = await world.rows<{ seconds: number }>(
          "select extract(epoch from due_at - now())::float8 as seconds from incoming_webhooks",
        );
        await world.rows("update incoming_webhooks set due_at = now()");
        waits.push(wait?.seconds ?? 0);
      }
      for (const [index, wait] of waits.slice(1).entries()) expect(wait).to.be.above(waits[index] ?? 0);
      await workOff();
      expect((await queue())[0]?.attempts).to.equal(10);

      const purge = () => resolve(world.container, tokens.incomingUpkeep).purge(7);
      expect(await purge()).to.equal(0);
      await world.rows("update incoming_webhooks set gave_up_at = now() - interval '8 days'");
      expect(await purge()).to.equal(1);
    });

    for (const state of ["40P01", "53300", "08006", "57P03"]) {
      it(`postpones it without counting a failure of the database: ${state}`, async () => {
        await world.rows(`
          create function trouble() returns trigger language plpgsql
            as $$ begin raise 'trouble' using errcode = '${state}'; end $$;
          create trigger trouble before insert on messages for each row execute function trouble()`);
        try {
          const payload = JSON.stringify(saying("in trouble"));
          await world.rows("insert into incoming_webhooks (payload, attempts) values ($1, 9)", [payload]);
          await workOff();
          expect(await queue()).to.deep.equal([{ attempts: 9, error: "trouble", gave_up: false, waits: true }]);
        } finally {
          await world.rows("drop function trouble cascade");
        }
      });
    }

    it("lets an operator put it back after the last attempt", async () => {
      await world.rows("insert into incoming_webhooks (payload, attempts, gave_up_at) values ($1, 10, now())", [
        JSON.stringify(saying("put back")),
      ]);
      const webhooks = resolve(world.container, tokens.incomingUpkeep);
      expect(await webhooks.counts()).to.deep.equal({ due: 0, postponed: 0, givenUp: 1 });
      await workOff();
      expect(await bodies()).not.to.include("put back");
      expect(await webhooks.retryGivenUp()).to.equal(1);
      expect(await webhooks.counts()).to.deep.equal({ due: 1, postponed: 0, givenUp: 0 });
      await workOff();
      expect(await bodies()).to.include("put back");
    });
  });
});
