import { expect } from "chai";
import { Senders } from "../../src/sandbox/core/senders.ts";
import { Bench } from "./support.ts";

describe("the sandbox's page messages and direct messages", () => {
  let bench: Bench;

  before(async () => {
    bench = await Bench.start({
      pages: [
        { pageId: "3001", token: "page-1", people: ["24601"] },
        { pageId: "3002", token: "photo-1", channel: "platform-photo", people: ["24601"] },
      ],
      undeliverable: ["59170000009"],
    });
  });
  after(() => bench.stop());
  beforeEach(() => bench.control("DELETE"));

  const aMessage = (changes: Record<string, unknown> = {}) => ({
    recipient: { id: "24601" },
    messaging_type: "RESPONSE",
    message: { text: "Hola" },
    ...changes,
  });
  const post = (body: unknown, id = "3001", token = id === "3001" ? "page-1" : "photo-1") =>
    bench.call("POST", `/v23.0/${id}/messages`, body, { authorization: `Bearer ${token}` });
  const errorOf = async (...call: Parameters<typeof post>) => (await post(...call)).body.error;
  const say = (customer: string, input: object = {}, page = "3001") =>
    bench.control("POST", `/pages/${page}/customers/${customer}/say`, input);
  const hoursAgo = (hours: number) => ({ timestamp: Math.floor(Date.now() / 1_000 - hours * 3_600) });

  it("accept a text in the platform's format", async () => {
    const { status, body } = await post(aMessage({ message: { text: "Hola", metadata: "r-1" } }));
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ recipient_id: "24601", message_id: body.message_id });
    expect(body.message_id).to.match(/^m_[\w-]{20,}$/);

    const [seen, ...others] = await bench.accepted();
    expect(others).to.be.empty;
    expect(seen).to.deep.equal({
      id: body.message_id,
      at: seen?.at,
      channel: "platform-page",
      from: "3001",
      to: "24601",
      type: "text",
      text: "Hola",
      reference: "r-1",
      statuses: seen?.statuses,
    });
  });

  it("include the owner of a token, and the linked photo account on request", async () => {
    const page = { pageId: "3003", token: "page-3", photoAccountId: "3004" };
    await bench.control("POST", "/pages", page);
    const me = (token: string, query: string) =>
      bench.call("GET", `/v23.0/me${query}`, undefined, { authorization: `Bearer ${token}` });
    expect((await me("photo-1", "?fields=id")).body).to.deep.equal({ id: "3002" });
    expect((await me("page-3", "")).body).to.deep.equal({ id: "3003" });
    expect((await me("page-3", "?fields=id,instagram_business_account")).body).to.deep.equal({
      id: "3003",
      instagram_business_account: { id: "3004" },
    });
    expect((await me("nobody", "?fields=id")).body.error).to.include({ code: 190 });
  });

  it("use the token's page if they are sent from `me`", async () => {
    expect((await post(aMessage(), "me", "photo-1")).status).to.equal(200);
    expect((await bench.accepted())[0]).to.include({ channel: "platform-photo", from: "3002" });
    expect(await errorOf(aMessage(), "me", "token-1")).to.include({ code: 190 });
  });

  it("store which message is quoted", async () => {
    await post(aMessage({ reply_to: { mid: "m_before" } }));
    const [seen] = await bench.accepted();
    expect(seen).to.have.deep.property("context", { message_id: "m_before" });
    expect(await errorOf(aMessage({ reply_to: "m_before" }))).to.include({ code: 100 });
  });

  it("accept attachments", async () => {
    const attachment = { type: "file", payload: { url: "https://example.org/a.pdf" } };
    expect((await post(aMessage({ message: { attachment } }), "3002")).status).to.equal(200);
    const [seen] = await bench.accepted();
    expect(seen).to.deep.include({ channel: "platform-photo", from: "3002", type: "file" });
    expect(seen).to.have.deep.property("media", { link: "https://example.org/a.pdf" });
  });

  it("are counted and found together with those of the cloud channel's numbers", async () => {
    await bench.sent({ biz_opaque_callback_data: "r-1" });
    await post(aMessage());
    await post(aMessage({ message: {} }));
    const channels = async (query = "") => (await bench.accepted(query)).map(({ channel }) => channel);
    expect(await channels()).to.deep.equal(["platform-apicloud", "platform-page"]);
    expect(await channels("?channel=platform-page")).to.deep.equal(["platform-page"]);
    expect(await channels("?to=24601")).to.deep.equal(["platform-page"]);
    expect((await bench.control("GET", "/messages/count")).body).to.include({ accepted: 2, requests: 3, refused: 1 });
    await bench.control("DELETE");
    expect(await bench.accepted()).to.be.empty;
  });

  const long = "ñ".repeat(501);
  const at = (type: unknown, url: unknown) => ({ message: { attachment: { type, payload: { url } } } });
  const wrong: [what: string, changes: Record<string, unknown>, why: RegExp, page?: string][] = [
    ["no recipient", { recipient: undefined }, /recipient is required/],
    ["a recipient without id", { recipient: {} }, /recipient\['id'\]/],
    ["an unknown type", { messaging_type: "NEWS" }, /must be one of \{RESPONSE, UPDATE, MESSAGE_TAG\}/],
    ["a missing tag", { messaging_type: "MESSAGE_TAG" }, /tag is missing/],
    ["an unknown tag", { messaging_type: "MESSAGE_TAG", tag: "SALE" }, /tag is missing or invalid/],
    ["no message", { message: undefined }, /message is required/],
    ["neither text nor attachment", { message: {} }, /exactly one of/],
    [
      "both text and attachment",
      { message: { text: "a", ...at("image", "https://a.test/a").message } },
      /exactly one of/,
    ],
    ["an empty text", { message: { text: "" } }, /non-empty/],
    ["a long text", { message: { text: "x".repeat(2_001) } }, /too long/],
    ["a long direct message", { message: { text: long } }, /too long/, "3002"],
    ["an attachment of an unknown type", at("document", "https://a.test/a"), /must be one of \{IMAGE/],
    ["an attachment without a URL", at("image", "a.jpg"), /valid URL/],
    ["metadata that is not a text", { message: { text: "a", metadata: 7 } }, /metadata/],
  ];
  for (const [what, changes, why, page] of wrong) {
    it(`are refused with ${what}`, async () => {
      const { status, body } = await post(aMessage(changes), page);
      expect(status).to.equal(400);
      expect(body.error).to.include({ code: 100 });
      expect((body.error as { message: string }).message).to.match(why);
      expect(await bench.accepted()).to.be.empty;
    });
  }

  it("allow a page longer texts than a direct message", async () => {
    expect((await post(aMessage({ message: { text: long } }))).status).to.equal(200);
  });

  it("are refused with unknown tokens, and with tokens of another page", async () => {
    expect((await post(aMessage(), "3001", "nobody")).status).to.equal(401);
    expect(await errorOf(aMessage(), "3001", "nobody")).to.include({ code: 190 });
    expect(await errorOf(aMessage(), "3001", "token-1")).to.include({ code: 190 });
    expect(await errorOf(aMessage(), "3001", "photo-1")).to.include({ code: 100, error_subcode: 33 });
    expect(await errorOf("{")).to.include({ code: 100 });
  });

  it("reach people who wrote before, for 24 hours", async () => {
    const to = (id: string, changes: object = {}) => aMessage({ recipient: { id }, ...changes });
    expect(await errorOf(to("77"))).to.include({ code: 100, error_subcode: 2018001 });
    await say("77", hoursAgo(23.9));
    for (const messaging_type of ["RESPONSE", "UPDATE", undefined]) {
      expect((await post(to("77", { messaging_type }))).status).to.equal(200);
    }
    await say("77", hoursAgo(24.1));
    for (const messaging_type of ["RESPONSE", "UPDATE"]) {
      expect(await errorOf(to("77", { messaging_type }))).to.include({ code: 10, error_subcode: 2018278 });
    }
    const tagged = (tag: string) => to("77", { messaging_type: "MESSAGE_TAG", tag });
    expect((await post(tagged("HUMAN_AGENT"))).status).to.equal(200);
    await say("77", hoursAgo(169));
    expect(await errorOf(tagged("HUMAN_AGENT"))).to.include({ code: 10, error_subcode: 2018278 });
    expect((await post(tagged("ACCOUNT_UPDATE"))).status).to.equal(200);
    expect(await errorOf(to("77"), "3002")).to.include({ code: 100, error_subcode: 2018001 });

    await say("77");
    await bench.control("DELETE");
    expect(await errorOf(to("77"))).to.include({ code: 100, error_subcode: 2018001 });
    expect((await post(to("24601"))).status).to.equal(200);
  });

  it("do not reach undeliverable recipients", async () => {
    expect(await errorOf(aMessage({ recipient: { id: "59170000009" } }))).to.include({ code: 551 });
    await bench.control("PUT", "/undeliverable", { numbers: ["24601"] });
    expect(await errorOf(aMessage())).to.include({ code: 551 });
  });

  it("have faults of their own", async () => {
    await bench.control("POST", "/faults", { path: "page_messages", code: 613, retry_after: 5 });
    expect((await bench.send()).status).to.equal(200);
    expect(await errorOf(aMessage())).to.include({
      code: 613,
      message: "(#613) Calls to this api have exceeded the rate limit",
    });
    expect((await post(aMessage())).status).to.equal(200);
    await bench.control("POST", "/faults", { path: "messages", status: 502 });
    expect((await post(aMessage())).status).to.equal(200);
  });

  it("support 10,000 pages, which can still be replaced", () => {
    const pages = new Senders(
      Array.from({ length: 10_000 }, (_, n) => `${n}`),
      String,
    );
    expect(() => pages.put("more")).to.throw(/at most 10000/);
    pages.put("9999");
  });

  it("use pages from the control routes", async () => {
    await bench.control("POST", "/pages", { pageId: "3009", token: "page-9", people: ["24601"] });
    expect((await post(aMessage(), "3009", "page-9")).status).to.equal(200);
    expect((await say("77", {}, "3008")).status).to.equal(400);
    expect((await bench.control("POST", "/pages", { pageId: "3009" })).body.error).to.match(/token must be a text/);
    expect((await bench.control("POST", "/pages", { pageId: "1", token: "t", channel: "qr" })).status).to.equal(400);
  });
});
