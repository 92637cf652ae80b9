import { expect } from "chai";
import { Notifications } from "../../src/infra/postgres/notifications.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/wait.ts";
import { valuesOf } from "./query.ts";
import { type SilentProxy, silentProxy } from "./silent-proxy.ts";

describe("notifications", () => {
  let database: TestDatabase;
  let proxy: SilentProxy;
  let warnings: string[];
  before(async () => {
    database = await emptyDatabase();
  });
  beforeEach(async () => {
    proxy = await silentProxy(database.url);
    warnings = [];
  });
  afterEach(() => proxy.close());
  after(() => database.drop());

  const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message), error: () => {} };
  const say = (what: string) => valuesOf(database.url, "select pg_notify('news', $1)", [what]);

  it("report a gap and arrive again after the network was silent", async () => {
    const notifications = new Notifications(proxy.url, log, { everyMs: 110, timeoutMs: 100 });
    const heard: string[] = [];
    let gaps = 0;
    notifications.on("news", (payload) => heard.push(payload));
    notifications.onGap(() => {
      gaps += 1;
    });
    await notifications.start();
    await say("one");
    await eventually(() => heard.includes("one"));
    expect([notifications.live, gaps]).to.deep.equal([true, 1]);
    proxy.fallSilent();
    await eventually(() => !notifications.live);
    expect(warnings).to.deep.equal(["the connection for notifications broke; reconnecting"]);
    await eventually(() => notifications.live && gaps === 2);
    await say("two");
    await eventually(() => heard.includes("two"));
    await notifications.close();
  });

  it("reach only the listeners of the channel, over one connection per process", async () => {
    const heard: string[] = [];
    const all = ["one", "other"].map((who) => {
      const notifications = new Notifications(database.url, log);
      notifications.on("news", () => heard.push(who));
      return notifications;
    });
    const [one, other] = all as [Notifications, Notifications];
    other.on("more", () => heard.push("more"));
    const count = "select count(*)::int from pg_stat_activity where application_name = 'recado notifications'";
    const [before] = await valuesOf(database.url, count);
    await Promise.all(all.map((notifications) => notifications.start()));
    expect(await valuesOf(database.url, count)).to.deep.equal([Number(before) + 2]);
    one.notify("news");
    await eventually(() => heard.length === 2);
    one.notify("more");
    await eventually(() => heard.length === 3);
    expect([...heard].sort()).to.deep.equal(["more", "one", "other"]);
    await Promise.all([one.close(), other.close()]);
  });

  it("reach their own process without a connection", async () => {
    const notifications = new Notifications("postgres://127.0.0.1:1/none", log);
    let woken = 0;
    notifications.onWork("work", () => {
      woken += 1;
    });
    notifications.notify("work");
    expect(woken).to.equal(1);
  });

  it("can be closed while the network is silent", async () => {
    const notifications = new Notifications(proxy.url, log, { everyMs: 60_000, timeoutMs: 60_000 });
    await notifications.start();
    proxy.fallSilent();
    await notifications.close();
    expect(notifications.live).to.equal(false);
  });
});
