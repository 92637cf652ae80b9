import { expect } from "chai";
import { startService } from "../../src/bootstrap/service.ts";
import { serveRaw } from "../http-client/servers.ts";
import { eventually } from "../support/wait.ts";
import { Hooks } from "./support.ts";

describe("Endpoints of businesses", () => {
  describe("in our own network", () => {
    let hooks: Hooks;
    before(async () => {
      hooks = await Hooks.start({ environment: { ALLOW_PRIVATE_WEBHOOK_URLS: "" } });
    });
    after(() => hooks.stop());
    afterEach(() => hooks.clear());

    it("are refused", async () => {
      const urls = ["https://127.0.0.1/", "https://10.1.2.3/", "https://169.254.169.254/", "https://[fd00::1]/"];
      for (const url of [
        ...urls,
        "https://localhost/",
        "https://db.internal/",
        "http://crm.example.com/",
        "https://",
      ]) {
        const { status, json } = await hooks.ask("POST", "", { url, events: ["message.new"] });
        expect([status, json.code], url).to.deep.equal([400, "invalid_input"]);
        expect(json.error).to.include("url");
      }
    });

    // The API would refuse these URLs, so the test writes them to the table. The delivery is refused in the same way if
    // a host name resolves to a private address only after the API accepted the URL.
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      it(`do not get a connection, as ${host}`, async () => {
        const server = await serveRaw(() => {}, {});
        try {
          const hook = await hooks.hook("https://crm.example.com/");
          await hooks.world.rows("update webhooks set url = $1", [`https://${host}:${server.port}/`]);
          await hooks.says("Hola");
          const tried = await hooks.newest(hook, ({ attempts }) => attempts === 1);
          const error = "address not allowed: it is in a private network";
          expect(tried).to.include({ state: "failed", status: null, error });
          expect(server.connections()).to.equal(0);
        } finally {
          await server.close();
        }
      });
    }

    it("do not get requests over http", async () => {
      const receiver = await hooks.receiver();
      const hook = await hooks.hook("https://crm.example.com/");
      await hooks.world.rows("update webhooks set url = $1", [receiver.url]);
      await hooks.says("Hola");
      const tried = await hooks.newest(hook, ({ attempts }) => attempts === 1);
      expect(tried).to.include({ state: "failed", error: "not an address for deliveries" });
      expect(receiver.received).to.deep.equal([]);
    });
  });

  describe("that are reachable", () => {
    let hooks: Hooks;
    before(async () => {
      hooks = await Hooks.start({
        configure: (config) => ({ ...config, webhooks: { ...config.webhooks, timeoutMs: 300 } }),
      });
    });
    after(() => hooks.stop());
    afterEach(() => hooks.clear());

    it("cannot redirect: a redirect is a failure", async () => {
      const [target, receiver] = [await hooks.receiver(), await hooks.receiver()];
      receiver.answering = (_, response) => void response.writeHead(307, { location: target.url }).end();
      const hook = await hooks.hook(receiver.url);
      await hooks.says("Hola");
      const tried = await hooks.newest(hook, ({ attempts }) => attempts === 1);
      expect(tried).to.include({ state: "waiting", status: 307 });
      expect(target.received).to.deep.equal([]);
    });

    it("have a time limit for the whole answer", async () => {
      const receiver = await hooks.receiver();
      receiver.answering = (_, response) => void response.writeHead(200).write("o");
      const hook = await hooks.hook(receiver.url);
      await hooks.says("Hola");
      const tried = await hooks.newest(hook, ({ attempts }) => attempts === 1);
      expect(tried).to.include({ state: "waiting", status: null, error: "no answer within 300 ms" });
    });

    const taken = "HTTP/1.1 204 No Content\r\n\r\n";

    it("get one event after the other over one TLS connection", async () => {
      const server = await serveRaw((socket) => socket.write(taken), {});
      try {
        const hook = await hooks.hook(server.url);
        for (const [before, text] of ["uno", "dos", "tres"].entries()) {
          await hooks.says(text);
          await eventually(async () => (await hooks.deliveries(hook, "?state=delivered")).length === before + 1);
        }
        const [last] = await hooks.deliveries(hook);
        expect(last).to.include({ attempts: 1, status: 204, answer: "" });
        expect([server.requests(), server.connections()]).to.deep.equal([3, 1]);
      } finally {
        await server.close();
      }
    });

    it("get an event over a new connection if they close the old one at that moment", async () => {
      const server = await serveRaw((socket, request) => (request === 2 ? socket.destroy() : socket.write(taken)), {});
      try {
        const hook = await hooks.hook(server.url);
        await hooks.says("uno");
        await hooks.newest(hook, ({ state }) => state === "delivered");
        await hooks.says("dos");
        await eventually(async () => (await hooks.deliveries(hook, "?state=delivered")).length === 2);
        expect((await hooks.deliveries(hook)).map(({ attempts }) => attempts)).to.deep.equal([1, 1]);
        expect([server.requests(), server.connections()]).to.deep.equal([3, 2]);
      } finally {
        await server.close();
      }
    });

    it("have one failure if the new connection also breaks", async () => {
      const server = await serveRaw((socket) => socket.destroy(), {});
      try {
        const hook = await hooks.hook(server.url);
        await hooks.says("uno");
        const tried = await hooks.newest(hook, ({ attempts }) => attempts === 1);
        expect(tried).to.include({ state: "waiting", status: null });
        expect(server.requests()).to.equal(1);
      } finally {
        await server.close();
      }
    });
  });

  it("get each event once and in order from many workers", async () => {
    const hooks = await Hooks.start();
    const worker = await startService({ ...hooks.world.config, role: "worker" });
    try {
      const receiver = await hooks.receiver();
      receiver.answering = (_, response) => void setTimeout(() => response.writeHead(200).end(), 5);
      await hooks.hook(receiver.url);
      const texts = Array.from({ length: 30 }, (_, n) => `mensaje ${n}`);
      for (const [n, text] of texts.entries()) await hooks.says(text, `5917000020${n % 3}`);
      await receiver.gets(30);
      await eventually(async () => {
        return (await hooks.world.rows("select from webhook_deliveries where state <> 'delivered'")).length === 0;
      });
      const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
      expect(new Set(ids).size).to.equal(ids.length);
      for (const chat of [0, 1, 2]) {
        const own = texts.filter((_, n) => n % 3 === chat);
        expect(receiver.texts.filter((text) => own.includes(text))).to.deep.equal(own);
      }
    } finally {
      await worker.stop();
      await hooks.stop();
    }
  });
});
