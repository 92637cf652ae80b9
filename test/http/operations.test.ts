import { expect } from "chai";
import { limitFailures } from "../../src/infra/http/middleware/rate-limit.ts";
import { type OperationsParts, operationsRoutes } from "../../src/infra/http/operations.ts";
import { Metrics } from "../../src/infra/telemetry/metrics.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { type SampleApp, serveSample } from "./sample-app.ts";

const patienceMs = 50;

describe("the routes of operations", () => {
  let app: SampleApp;
  afterEach(() => app.close());

  async function serveOperations(changes: Partial<OperationsParts> = {}): Promise<void> {
    app = await serveSample(
      operationsRoutes({
        checks: {},
        isDraining: () => false,
        isStopping: () => false,
        failures: limitFailures({ name: "", points: 3, perSeconds: 60 }),
        patienceMs,
        metrics: { contentType: "text/plain; version=0.0.4; charset=utf-8", text: async () => "up 1\n" },
        ...changes,
      }),
    );
  }
  const ask = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    request(`${app.url}${path}`, { headers });

  describe("/livez", () => {
    it("is ok while the process runs, and not while it stops", async () => {
      let stopping = false;
      await serveOperations({ isStopping: () => stopping });
      const running = await ask("/livez");
      expect([running.status, running.json]).to.deep.equal([200, { status: "ok" }]);
      stopping = true;
      const ending = await ask("/livez");
      expect([ending.status, ending.json]).to.deep.equal([503, { status: "stopping" }]);
    });
  });

  describe("/readyz", () => {
    const fine = async () => {};

    it("lists each check", async () => {
      await serveOperations({ checks: { database: fine, migrations: fine } });
      const { status, json } = await ask("/readyz");
      expect(status).to.equal(200);
      expect(json).to.deep.equal({ status: "ok", checks: { database: "ok", migrations: "ok" } });
    });

    it("is unavailable if any check fails, without details", async () => {
      const broken = () => {
        throw new Error("postgres://user:password@host");
      };
      await serveOperations({
        checks: { database: broken, migrations: () => Promise.reject(new Error("2")), disk: fine },
      });
      const { status, json } = await ask("/readyz");
      expect(status).to.equal(503);
      const checks = { database: "unavailable", migrations: "unavailable", disk: "ok" };
      expect(json).to.deep.equal({ status: "unavailable", checks });
    });

    it("does not wait for a check that hangs, and does not start it again meanwhile", async () => {
      let started = 0;
      let end = () => {};
      const hanging = new Promise<void>((resolve) => {
        end = resolve;
      });
      const database = () => {
        started += 1;
        return hanging;
      };
      await serveOperations({ checks: { database, migrations: fine } });
      const begun = Date.now();
      let last = await ask("/readyz");
      while (Date.now() < begun + 5 * patienceMs) last = await ask("/readyz");
      expect([last.status, last.json.checks]).to.deep.equal([503, { database: "unavailable", migrations: "ok" }]);
      expect(started).to.equal(1);
      end();
      await eventually(async () => (await ask("/readyz")).status === 200);
    });

    it("runs the checks once for many probes", async () => {
      let asked = 0;
      const check = async () => {
        asked += 1;
      };
      await serveOperations({ checks: { database: check }, patienceMs: 5_000 });
      await Promise.all(Array.from({ length: 50 }, () => ask("/readyz")));
      await ask("/readyz");
      expect(asked).to.equal(1);
    });

    it("repeats the checks later, and logs once why it was not ready and when it is again", async () => {
      const lines: [string, object][] = [];
      const note = (fields: object, message: string) => void lines.push([message, fields]);
      const reason = new Error("down");
      let isUp = false;
      let asked = 0;
      const database = async () => {
        asked += 1;
        if (!isUp) throw reason;
      };
      await serveOperations({ checks: { database }, log: { info: note, warn: note, error: note } });
      await eventually(async () => (await ask("/readyz")).status === 503 && asked >= 3);
      isUp = true;
      await eventually(async () => (await ask("/readyz")).status === 200);
      expect(lines).to.deep.equal([
        ["not ready", { check: "database", err: reason }],
        ["ready again", { check: "database" }],
      ]);
    });

    it("is not ready while it is draining, although it is alive until the process stops", async () => {
      await serveOperations({ checks: { database: fine }, isDraining: () => true });
      expect((await ask("/livez")).status).to.equal(200);
      const { status, json } = await ask("/readyz");
      expect([status, json]).to.deep.equal([503, { status: "stopping", checks: { database: "ok" } }]);
    });
  });

  describe("/metrics", () => {
    it("answers requests with the key", async () => {
      const metrics = new Metrics(false);
      metrics.countMessage("cloud", "accepted");
      await serveOperations({ metrics, metricsKey: "k".repeat(32) });
      const { status, text, headers } = await ask("/metrics", { authorization: `Bearer ${"k".repeat(32)}` });
      expect(status).to.equal(200);
      expect(headers["content-type"]).to.equal(metrics.contentType);
      expect(text).to.include('messages_sent_total{channel="cloud",outcome="accepted"} 1');
    });

    for (const authorization of ["", "Bearer", "Bearer ", "Bearer kk", "bearer k", "Basic k", "k"]) {
      it(`refuses "${authorization}"`, async () => {
        await serveOperations({ metricsKey: "k" });
        const { status, json, headers } = await ask("/metrics", authorization ? { authorization } : {});
        expect([status, json]).to.deep.equal([401, { message: "Unauthorized" }]);
        expect(headers["www-authenticate"]).to.equal("Bearer");
      });
    }

    it("answers 429 to wrong keys after too many from an address, but always accepts the right one", async () => {
      await serveOperations({ metricsKey: "k" });
      const statuses = [];
      for (let i = 0; i < 5; i++) statuses.push((await ask("/metrics", { authorization: "Bearer x" })).status);
      expect(statuses).to.deep.equal([401, 401, 401, 429, 429]);
      const limited = await ask("/metrics");
      expect(limited.status).to.equal(429);
      expect(Number(limited.headers["retry-after"])).to.be.within(30, 60);
      expect((await ask("/metrics", { authorization: "Bearer k" })).status).to.equal(200);
    });

    for (const metricsKey of [undefined, ""]) {
      it(`does not exist if the key is ${metricsKey === "" ? "empty" : "missing"}`, async () => {
        await serveOperations({ metricsKey });
        const answer = await ask("/metrics", { authorization: "Bearer " });
        const unknown = await ask("/nowhere");
        expect([answer.status, answer.text]).to.deep.equal([404, unknown.text]);
      });
    }
  });
});
