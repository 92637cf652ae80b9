import { request } from "node:http";
import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { aMessage, Bench } from "./support.ts";

describe("the sandbox's faults", () => {
  let bench: Bench;

  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench.stop());
  beforeEach(() => bench.control("DELETE"));

  const fault = async (wish: object) => expect((await bench.control("POST", "/faults", wish)).status).to.equal(200);
  const waiting = async () => (await bench.control("GET", "/faults")).body as unknown as Record<string, unknown>[];

  const post = (signal?: AbortSignal) =>
    fetch(`${bench.sandbox.url}/v23.0/2001/messages`, {
      method: "POST",
      headers: { authorization: "Bearer token-1" },
      body: JSON.stringify(aMessage({ biz_opaque_callback_data: "r-1" })),
      ...(signal ? { signal } : {}),
    });

  it("give the next requests a code, with the platform's error text", async () => {
    await fault({ count: 2, code: 130429, retry_after: 7 });
    for (let turn = 0; turn < 2; turn += 1) {
      const response = await post();
      expect(response.status).to.equal(429);
      expect(response.headers.get("retry-after")).to.equal("7");
      expect(((await response.json()) as { error: object }).error).to.include({
        code: 130429,
        message: "(#130429) Rate limit hit",
      });
    }
    expect((await post()).status).to.equal(200);
    expect((await bench.control("GET", "/messages/count")).body).to.include({ requests: 3, accepted: 1 });
  });

  it("use the requested status, message and subcode", async () => {
    await fault({ status: 503, code: 131000, subcode: 5, message: "away" });
    const response = await post();
    expect(response.status).to.equal(503);
    expect(((await response.json()) as { error: object }).error).to.include({ message: "away", error_subcode: 5 });
  });

  it("answer like a gateway if only a status is requested", async () => {
    await fault({ status: 502 });
    const response = await post();
    expect(response.status).to.equal(502);
    expect(await response.text()).to.match(/^<html>/);
    expect(await bench.accepted()).to.be.empty;
  });

  it("can leave a request without an answer", async () => {
    await fault({ hang: true });
    const giveUp = new AbortController();
    const answer = post(giveUp.signal).then(
      () => "answered",
      (error: Error) => error.name,
    );
    await eventually(async () => (await waiting()).length === 0);
    expect((await bench.send()).status).to.equal(200); // By now `answer` would have arrived.
    giveUp.abort();
    expect(await answer).to.equal("AbortError");
    expect(await bench.accepted("?reference=r-1")).to.be.empty;
  });

  it("can reset the connection", async () => {
    await fault({ reset: true });
    const code = await new Promise((resolve, reject) => {
      const own = request(`${bench.sandbox.url}/v23.0/2001/messages`, { method: "POST" }, () =>
        reject(new Error("answered")),
      );
      own.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      own.end(JSON.stringify(aMessage()));
    });
    expect(code).to.equal("ECONNRESET");
    expect(await bench.accepted()).to.be.empty;
  });

  it("can answer 200 with something that is not JSON", async () => {
    await fault({ garbage: true });
    const response = await post();
    expect(response.status).to.equal(200);
    const text = await response.text();
    expect(() => JSON.parse(text)).to.throw();
    expect(await bench.accepted()).to.be.empty;
  });

  for (const bad of [{ status: 504 }, { garbage: true }, { reset: true }, { hang: true }]) {
    it(`can accept the message in spite of ${JSON.stringify(bad)}`, async () => {
      await fault({ ...bad, accept: true });
      const giveUp = new AbortController();
      const answer = post(giveUp.signal).catch(() => undefined);
      const { receiver } = bench;
      const [message] = await eventually(async () => {
        const seen = await bench.accepted("?reference=r-1");
        return seen.length === 1 && seen;
      });
      await receiver.until(() => receiver.of(String(message?.id)).length === 3);
      expect(receiver.statuses().at(-1)).to.include({ biz_opaque_callback_data: "r-1" });
      giveUp.abort();
      await answer;
    });
  }

  it("can delay an answer after the message was accepted", async () => {
    await fault({ delay_ms: 60_000 });
    const giveUp = new AbortController();
    const answer = post(giveUp.signal).catch((error: Error) => error.name);
    await eventually(async () => (await bench.accepted("?reference=r-1")).length === 1);
    giveUp.abort();
    expect(await answer).to.equal("AbortError");

    await fault({ delay_ms: 1 });
    expect((await bench.send()).status).to.equal(200);
  });

  it("can delay many answers at once without a warning", async () => {
    const warnings: string[] = [];
    const hear = ({ name }: Error) => warnings.push(name);
    process.on("warning", hear);
    try {
      await fault({ delay_ms: 50, count: 20 });
      await Promise.all(Array.from({ length: 20 }, () => bench.send()));
    } finally {
      process.off("warning", hear);
    }
    expect(warnings).to.deep.equal([]);
  });

  it("affect only requests for their path, in the order of the faults", async () => {
    await fault({ path: "message_templates", status: 500, count: 2 });
    await fault({ path: "messages", code: 131056 });
    await fault({ status: 502 });
    const list = () => bench.sandbox.url.concat("/v23.0/1001/message_templates");
    expect((await bench.send()).body.error).to.include({ code: 131056 });
    expect((await waiting()).map(({ count, status }) => [count, status])).to.deep.equal([
      [2, 500],
      [1, 502],
    ]);
    expect((await post()).status).to.equal(502);
    for (const status of [500, 500, 401]) expect((await fetch(list())).status).to.equal(status);
  });

  it("can be removed", async () => {
    await fault({ count: 5, status: 502 });
    await bench.control("DELETE", "/faults");
    expect(await waiting()).to.be.empty;
    expect((await post()).status).to.equal(200);
  });

  const refused: [input: unknown, why: RegExp][] = [
    [{}, /at least one of status/],
    [{ accept: true }, /at least one of status/],
    [{ status: 99 }, /status must be a whole number from 200 to 599/],
    [{ status: "500" }, /status must be a whole number/],
    [{ count: 0, status: 500 }, /count must be/],
    [{ statuz: 500 }, /fault has no field statuz; it has count, status/],
    [{ status: 500, path: "elsewhere" }, /path must be one of messages, message_templates/],
    [[], /fault must be an object/],
    ["{", /body must be JSON/],
  ];
  for (const [input, why] of refused) {
    it(`are refused if they are invalid: ${JSON.stringify(input)}`, async () => {
      const { status, body } = await bench.control("POST", "/faults", input);
      expect(status).to.equal(400);
      expect(body.error).to.match(why);
      expect(await waiting()).to.be.empty;
    });
  }

  it("use the status that the control routes set for a code", async () => {
    const nothing = { template: { name: "nothing", language: { code: "es" } } };
    expect((await bench.control("PUT", "/error-status", { 132001: 400 })).body).to.deep.equal({ 132001: 400 });
    expect((await bench.send(nothing)).status).to.equal(400);
    await bench.control("DELETE");
    expect((await bench.send(nothing)).status).to.equal(404);
    for (const wrong of [{ x: 400 }, { 132001: 200 }, { 132001: "400" }]) {
      expect((await bench.control("PUT", "/error-status", wrong)).status).to.equal(400);
    }
  });
});
