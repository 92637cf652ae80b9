import { expect } from "chai";
import { readConfig } from "../../src/bootstrap/config.ts";
import { createContainer } from "../../src/bootstrap/container.ts";
import { resolve, resolveAll } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import { bareEnvironment } from "../support/environment.ts";
import { request } from "../support/http.ts";
import { startWorld } from "../support/world.ts";

describe("the container", () => {
  for (const role of ["all", "api", "worker"]) {
    it(`can build all services of a process with the role ${role} without a connection`, async () => {
      const container = createContainer(readConfig({ ...bareEnvironment, ROLE: role }));
      for (const [name, token] of Object.entries(tokens)) {
        expect(container.getAll<unknown>(token), name).not.to.be.empty;
      }
      await resolve(container, tokens.database).close();
    });
  }

  it("builds each service once", async () => {
    const container = createContainer(readConfig(bareEnvironment));
    for (const [name, token] of Object.entries(tokens)) {
      const [first, again] = [container.getAll<unknown>(token), container.getAll<unknown>(token)];
      expect(again.length, name).to.equal(first.length);
      first.forEach((service, index) => {
        expect(again[index] === service, name).to.equal(true);
      });
    }
    await resolve(container, tokens.database).close();
  });

  it("has clock ticks with different names", () => {
    const names = resolveAll(createContainer(readConfig(bareEnvironment)), tokens.tick).map(({ name }) => name);
    expect(names).to.deep.equal([...new Set(names)]);
    expect(names).to.include.members(["messages.settle", "webhooks.work-off", "sessions.purge", "events.purge"]);
  });

  it("publishes events to its own sockets in an API process, and to other processes in a worker", async () => {
    const roles = { api: tokens.gateway, all: tokens.gateway, worker: tokens.publisher };
    for (const [role, feed] of Object.entries(roles)) {
      const container = createContainer(readConfig({ ...bareEnvironment, ROLE: role }));
      const reached: unknown[] = [];
      Object.assign(resolve<object>(container, feed), { publish: (events: unknown) => reached.push(events) });
      resolve(container, tokens.feed).publish([]);
      expect(reached, role).to.deep.equal([[]]);
    }
  });

  it("builds a worker without an API", async () => {
    const worker = await startWorld({ environment: { ROLE: "worker" } });
    try {
      for (const path of ["/openapi.json", "/chats/obtener/pasos/tickets/1"]) {
        expect((await request(worker.api + path)).status, path).to.equal(404);
      }
    } finally {
      await worker.stop();
    }
  });
});
