import { expect } from "chai";
import fc from "fast-check";
import nock from "nock";
import { page, photo } from "../../src/channels/pages/pages.ts";
import { Downloads } from "../../src/infra/http-client/downloads.ts";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { pageChannel, photoChannel } from "../../src/kernel/channels.ts";
import { useNock } from "../http-client/nocked.ts";
import { senderOn } from "../messaging/channel-support.ts";

const host = "https://platform.test";
const cdn = "https://scontent.fbcdn.test";

describe("requests of pages and photo accounts to the platform", () => {
  useNock();
  let client: HttpClient;
  let downloads: Downloads;
  beforeEach(() => {
    client = new HttpClient();
    downloads = new Downloads();
  });
  afterEach(async () => {
    downloads.close();
    await client.close();
  });
  const settings = () => ({
    ...{ client, downloads, baseUrl: `${host}/`, version: "v23.0" },
    timeouts: { connectMs: 1_000, totalMs: 1_000 },
  });

  describe("a name", () => {
    const nameOf = async (
      status: number,
      body: object | string,
      channel = pageChannel as typeof pageChannel | typeof photoChannel,
    ) => {
      const fields = channel === pageChannel ? "name,first_name,last_name" : "name,username";
      const scope = nock(host, { reqheaders: { authorization: "Bearer EAAsecret" } })
        .get("/v23.0/24601")
        .query({ fields })
        .reply(status, body);
      const kind = channel === pageChannel ? page : photo;
      const name = await kind.receiving.nameOf?.(settings(), senderOn(channel), "24601");
      scope.done();
      return name;
    };

    it("is the full name, or the known part of it", async () => {
      expect(await nameOf(200, { name: " Ana Rojas ", first_name: "A", id: "24601" })).to.equal("Ana Rojas");
      expect(await nameOf(200, { first_name: "Ana", last_name: "Rojas" })).to.equal("Ana Rojas");
      expect(await nameOf(200, { name: "", username: "rojas.ana" }, photoChannel)).to.equal("rojas.ana");
    });

    it("has a bounded length, and can be stored", async () => {
      expect(await nameOf(200, { name: "ñ".repeat(5_000) })).to.have.length(200);
      expect(await nameOf(200, '{"name":"A\\u0000na\\ud83d"}')).to.equal("Ana\ufffd");
    });

    it("is missing if the platform has none", async () => {
      expect(await nameOf(200, { id: "24601" })).to.equal(null);
      expect(await nameOf(200, { name: "  ", first_name: 5 })).to.equal(null);
      expect(
        await nameOf(400, { error: { message: "Unsupported get request", code: 100, error_subcode: 33 } }),
      ).to.equal(null);
      expect(await nameOf(500, { name: "of an error" })).to.equal(null);
      expect(await nameOf(200, "<html>")).to.equal(null);
    });
  });

  describe("a file", () => {
    const open = (url: string) =>
      page.receiving.files(settings()).open(senderOn(pageChannel), { at: "url", url }, new AbortController().signal);

    it("is read from its address without the token", async () => {
      let asked: Record<string, unknown> = {};
      nock(cdn)
        .get("/v/9_n.jpg")
        .query({ oh: "1" })
        .reply(function () {
          asked = this.req.headers;
          return [200, "bytes", { "content-type": "image/jpeg" }];
        });
      const answer = await open(`${cdn}/v/9_n.jpg?oh=1`);
      if (answer.kind !== "content") throw new Error(answer.reason);
      const chunks: Uint8Array[] = [];
      for await (const chunk of answer.content) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).to.equal("bytes");
      expect(JSON.stringify(asked)).not.to.include("EAAsecret");
    });

    it("cannot be fetched after its address has expired", async () => {
      for (const status of [403, 404, 410]) {
        nock(cdn).get("/v/9_n.jpg").reply(status, "URL signature expired");
        expect(await open(`${cdn}/v/9_n.jpg`)).to.deep.equal({
          kind: "gone",
          reason: `the platform answered ${status}`,
        });
      }
    });

    it("is fetched later while the platform fails", async () => {
      nock(cdn).get("/v/9_n.jpg").reply(503, "", { "retry-after": "7" });
      expect(await open(`${cdn}/v/9_n.jpg`)).to.deep.include({ kind: "later", retryAfterMs: 7_000 });
      nock(cdn).get("/v/9_n.jpg").replyWithError("reset");
      expect(await open(`${cdn}/v/9_n.jpg`)).to.deep.include({ kind: "later" });
    });

    it("is fetched neither from our own network nor without https", async () => {
      for (const url of [
        "https://127.0.0.1/",
        "https://169.254.169.254/latest",
        "https://[::1]/",
        "http://fbcdn.test/",
      ]) {
        expect(await open(url), url).to.include({ kind: "gone" });
      }
      nock(cdn).get("/v/9_n.jpg").reply(302, "", { location: "https://10.0.0.1/secret" });
      expect(await open(`${cdn}/v/9_n.jpg`)).to.include({ kind: "gone" });
    });
  });
});

describe("erasing a customer from webhooks of pages and photo accounts", () => {
  const forgotten = { ids: ["24601"], senders: ["3001"] };
  const left = (payload: unknown) => {
    const text = page.receiving.without(JSON.stringify(payload), forgotten);
    return text === null ? null : JSON.parse(text);
  };
  const by = (id: string, more: object = { message: { mid: "m_1", text: "Hola, soy 24601" } }) => ({
    ...{ sender: { id }, recipient: { id: "3001" }, timestamp: 1 },
    ...more,
  });
  const to = (id: string) => ({
    ...{ sender: { id: "3001" }, recipient: { id }, timestamp: 1 },
    message: { mid: "m_2", is_echo: true, text: "Hola" },
  });
  const delivery = (id: string, ...messaging: object[]) => ({ id, time: 2, messaging });

  it("removes their messages, answers and read reports, and nothing of others", () => {
    const own = [by("24601"), to("24601"), by("24601", { read: { watermark: 5 } })];
    const others = [by("24602"), to("24602")];
    const payload = { object: "page", entry: [delivery("3001", ...own, ...others)] };
    expect(left(payload)).to.deep.equal({ object: "page", entry: [delivery("3001", ...others)] });
  });

  it("keeps webhooks for pages of other businesses", () => {
    const foreign = delivery("3009", by("24601"));
    const payload = { object: "page", entry: [delivery("3001", by("24601")), foreign] };
    expect(left(payload)).to.deep.equal({ object: "page", entry: [foreign] });
  });

  it("works for any JSON, and leaves nothing of the customer in it", () => {
    const odd = fc.anything({
      withNullPrototype: false,
      values: [fc.constantFrom<unknown>("24601", "3001", 24601, null)],
    });
    const event = fc.record({ sender: fc.oneof(odd, fc.constant({ id: "24601" })), recipient: odd, message: odd });
    const whole = fc.record({
      object: odd,
      entry: fc.array(fc.record({ id: fc.constant("3001"), messaging: fc.oneof(odd, fc.array(event)), standby: odd })),
    });
    fc.assert(
      fc.property(fc.oneof(odd, whole), (payload) => {
        const text = JSON.stringify(payload) ?? "null";
        expect(page.receiving.without(text, forgotten) ?? "").not.to.include('"sender":{"id":"24601"}');
      }),
    );
    const hostile = { id: { toString: 1, valueOf: 1 } };
    const payload = { object: "page", entry: [delivery("3001", { sender: hostile, recipient: hostile })] };
    expect(left(payload)).to.deep.equal(payload);
  });

  it("deletes webhooks only about them, and unreadable ones", () => {
    expect(left({ object: "page", entry: [delivery("3001", by("24601"))] })).to.equal(null);
    expect(left({ object: "page", entry: [{ id: "3001", time: 2, changes: [{ value: "24601" }] }] })).to.equal(null);
    expect(left({ object: "page", from: "24601" })).to.equal(null);
    expect(photo.receiving.without("{", forgotten)).to.equal(null);
  });
});
