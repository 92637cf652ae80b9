import { expect } from "chai";
import nock from "nock";
import { HttpSenderPlatforms } from "../../src/channels/sender-platforms.ts";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import type { ChatChannelName } from "../../src/kernel/channels.ts";
import { useNock, useRealNetwork } from "../http-client/nocked.ts";
import { freePort, serveRaw } from "../http-client/servers.ts";
import { version } from "./channel-support.ts";

const host = "https://platform.test";
const claimOn = (channel: ChatChannelName, changes: object = {}) => ({
  channel,
  ...{ platformId: "1065", accountId: "2077", phone: "59122000001", accessToken: "secret-token" },
  ...changes,
});
const platformsAt = (client: HttpClient, url: string, longestMs = 5_000) =>
  new HttpSenderPlatforms({
    client,
    messagingPlatform: { url, version, connectTimeoutMs: 1_000, timeoutMs: 5_000 },
    urls: { qr: url, "provider-b": url },
    webhookOf: () => ({ url: "https://own.test", secret: "s" }),
    longestMs,
  });

describe("the check of senders at their platforms", () => {
  useNock();
  let client: HttpClient;
  const look = (channel: ChatChannelName, changes: object = {}) =>
    platformsAt(client, `${host}/`).look(claimOn(channel, changes));
  beforeEach(() => {
    client = new HttpClient();
  });
  afterEach(() => client.close());

  const authorization = "Bearer secret-token";
  const number = (display = "+591 2 2000001") =>
    nock(host, { reqheaders: { authorization } })
      .get("/v23.0/1065")
      .query({ fields: "id,display_phone_number" })
      .reply(200, { id: "1065", display_phone_number: display });
  const numbers = (query: object, ids: readonly string[], after?: string) =>
    nock(host, { reqheaders: { authorization } })
      .get("/v23.0/2077/phone_numbers")
      .query({ fields: "id", limit: "100", ...query })
      .reply(200, {
        data: ids.map((id) => ({ id })),
        ...(after && { paging: { cursors: { after }, next: "https://elsewhere.test/next" } }),
      });

  it("finds a number on any page of its account, without following URLs of the platform", async () => {
    number();
    numbers({}, ["1"], "a b");
    numbers({ after: "a b" }, [], "c");
    numbers({ after: "c" }, ["2", "1065"]);
    expect(await look("platform-apicloud")).to.equal("confirmed");
  });

  it("does not confirm a number that is on no page, or whose pages do not end", async () => {
    number();
    numbers({}, ["10", "65"], "a");
    numbers({ after: "a" }, ["10650"]);
    expect(await look("platform-apicloud")).to.deep.equal({ unconfirmed: "accountId" });
    number();
    numbers({}, [], "a");
    nock(host)
      .persist()
      .get("/v23.0/2077/phone_numbers")
      .query(true)
      .reply(200, { data: [], paging: { cursors: { after: "a" }, next: "x" } });
    expect(await look("platform-apicloud")).to.deep.equal({ unconfirmed: "accountId" });
  });

  it("compares all digits of phone numbers", async () => {
    for (const display of ["+591 2 200000", "+1 591 2 2000001", "+591 2 2000010"]) {
      number(display);
      expect(await look("platform-apicloud")).to.deep.equal({ unconfirmed: "phone" });
    }
  });

  it("does not treat rate limits and temporary failures as a wrong token, whatever their status", async () => {
    for (const [status, code] of [
      [400, 4],
      [400, 80007],
      [403, 613],
      [400, 131000],
      [400, 2],
    ] as const) {
      nock(host)
        .get("/v23.0/me")
        .query({ fields: "id" })
        .reply(status, { error: { code, message: "Wait" } });
      expect(await look("platform-page"), String(code)).to.equal("away");
    }
    for (const [status, code] of [
      [401, 190],
      [400, 100],
      [403, 200],
    ] as const) {
      nock(host)
        .get("/v23.0/me")
        .query({ fields: "id" })
        .reply(status, { error: { code, message: "No" } });
      expect(await look("platform-page"), String(code)).to.deep.equal({ unconfirmed: "accessToken" });
    }
  });

  it("checks ProviderB with the account's own login, and requires an active account", async () => {
    const account = { platformId: "AC1", accountId: "AC1" };
    const answer = (body: object) =>
      nock(host).get("/2010-04-01/Accounts/AC1.json").basicAuth({ user: "AC1", pass: "secret-token" }).reply(200, body);
    answer({ sid: "AC1", status: "active" });
    expect(await look("provider-b", account)).to.equal("confirmed");
    for (const body of [
      { sid: "AC1", status: "closed" },
      { sid: "AC2", status: "active" },
    ]) {
      answer(body);
      expect(await look("provider-b", account)).to.deep.equal({ unconfirmed: "platformId" });
    }
    answer({ status: "active" });
    expect(await look("provider-b", account)).to.equal("away");
  });

  it("does not confirm an instance with another name", async () => {
    const answer = (instance: object) =>
      nock(host, { reqheaders: { apikey: "secret-token" } })
        .get("/instance/connectionState/1065")
        .reply(200, { instance });
    answer({ instanceName: "1065", state: "open" });
    expect(await look("qr")).to.equal("confirmed");
    answer({ instanceName: "10650", state: "open" });
    expect(await look("qr")).to.deep.equal({ unconfirmed: "platformId" });
  });
});

describe("the check of senders over a broken connection", () => {
  useRealNetwork();

  it("reports that the platform is away if no server listens or no answer comes within a total time", async () => {
    const client = new HttpClient();
    const nowhere = platformsAt(client, `http://127.0.0.1:${await freePort()}`);
    expect(await nowhere.look(claimOn("platform-apicloud"))).to.equal("away");
    const silent = await serveRaw(() => {});
    const began = Date.now();
    expect(await platformsAt(client, silent.url, 200).look(claimOn("platform-apicloud"))).to.equal("away");
    expect(Date.now() - began).to.be.below(2_000);
    await silent.close();
    client.close();
  });
});
