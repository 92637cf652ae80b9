import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { graceMsOf, type Service, startService } from "../../src/bootstrap/service.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

describe("long polling", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  const ask = (requests: string): Promise<string> => {
    const { port, hostname } = new URL(world.api);
    const socket = connect(Number(port), hostname);
    socket.write(requests);
    return text(socket);
  };

  it("keeps to the HTTP server's limits: requests sent ahead, and one Host header", async () => {
    const line = "GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: a\r\n";
    const statuses = [...(await ask(`${line}\r\n`.repeat(50))).matchAll(/HTTP\/1\.1 (\d+)/g)].map(
      ([, status]) => status,
    );
    expect(statuses.slice(0, -1)).to.deep.equal(["200", "200"]);
    expect(statuses.at(-1)).to.equal("429");
    expect(await ask(`${line}Host: b\r\n\r\n`)).to.match(/^HTTP\/1\.1 400 .*There must be one Host header/s);
  });
});

describe("a service that is stopped", () => {
  let world: World;
  let service: Service;
  beforeEach(async () => {
    world ??= await startWorld({ environment: { ROLE: "api" }, statusDelayMs: 3_600_000 });
    await world.rows("truncate messages cascade");
    service = await startService(world.config);
  });
  after(() => world.stop());

  const states = async (): Promise<unknown[]> =>
    (await world.rows<{ state: string }>("select state from messages where direction = 'out'")).map(
      ({ state }) => state,
    );

  /** Starts a send that takes at least 300 ms. Resolves when the message is in the state `sending`. */
  async function slowSend(signal?: AbortSignal): Promise<{ answer: Promise<unknown> }> {
    await world.control("POST", "/faults", { delay_ms: 300, path: "messages" });
    const answer = fetch(`http://127.0.0.1:${service.port}/chats/enviar/plantilla/business`, {
      method: "POST",
      headers: { "x-api-key": world.appKey(1), "content-type": "application/json" },
      body: JSON.stringify({ empresa_id: 1, phone_number: "59170099999", plantilla_id: 101, parameters: ["a", "b"] }),
      ...(signal ? { signal } : {}),
    }).then(
      async (response) => [response.status, await response.json()],
      () => "gone",
    );
    await eventually(async () => (await states())[0] === "sending");
    return { answer };
  }

  it("answers open requests", async () => {
    const { answer } = await slowSend();
    await service.stop();
    expect(await answer).to.deep.equal([200, { success: true }]);
    expect(await states()).to.deep.equal(["sent"]);
    const refused = await request(`http://127.0.0.1:${service.port}/livez`).catch((error) => error.code);
    expect(refused).to.equal("ECONNREFUSED");
  });

  it("first reports that it is not ready, and answers later requests on connections that it then ends", async () => {
    const { config } = world;
    const leaving = await startService({ ...config, http: { ...config.http, drainSeconds: 3 } });
    const ask = (path: string) => request(`http://127.0.0.1:${leaving.port}${path}`);
    expect((await ask("/readyz")).status).to.equal(200);
    const stopped = leaving.stop();
    expect((await ask("/readyz")).status).to.equal(503);
    const { status, headers } = await ask("/openapi.json");
    expect([status, headers.connection]).to.deep.equal([200, "close"]);
    await stopped;
    expect(await ask("/readyz").catch((error) => error.code)).to.equal("ECONNREFUSED");
    await service.stop();
  });

  it("stores the result of an open request although its client is gone", async () => {
    const client = new AbortController();
    const { answer } = await slowSend(client.signal);
    client.abort();
    expect(await answer).to.equal("gone");
    await service.stop();
    expect(await states()).to.deep.equal(["sent"]);
  });

  it("gives open requests longer than the platform's timeout, and has a limit beyond that", async () => {
    const { config } = world;
    expect(graceMsOf(config)).to.be.above(config.messagingPlatform.timeoutMs);
    expect(service.stopLimitMs).to.be.above(graceMsOf(config));
    await service.stop();
  });
});
