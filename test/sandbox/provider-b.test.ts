import { expect } from "chai";
import { Bench, customer } from "./support.ts";

describe("the sandbox's ProviderB", () => {
  let bench: Bench;

  before(async () => {
    bench = await Bench.start({
      providerB: [
        {
          accountId: "AC1",
          token: "b-1",
          phone: "59120000001",
          templates: [
            { contentId: "HX2", variables: 2 },
            { contentId: "HX0", variables: 0 },
          ],
        },
      ],
      undeliverable: ["59170000009"],
    });
  });
  after(() => bench.stop());
  beforeEach(() => bench.control("DELETE"));

  const post = (form: Record<string, string>, account = "AC1", login = "AC1:b-1") =>
    bench.call("POST", `/2010-04-01/Accounts/${account}/Messages.json`, new URLSearchParams(form).toString(), {
      authorization: `Basic ${Buffer.from(login).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    });
  const addresses = { To: `whatsapp:+${customer}`, From: "whatsapp:+59120000001" };
  const template = { ...addresses, ContentSid: "HX2", ContentVariables: '{"1":"Ana","2":"#7"}' };
  const text = { ...addresses, Body: "Hola" };
  const say = (input: object = {}, phone = "59120000001") =>
    bench.control("POST", `/provider-b/${phone}/customers/${customer}/say`, input);

  it("accepts a template in the provider's format", async () => {
    const { status, body } = await post(template);
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      status: "queued",
      account_sid: "AC1",
      from: "whatsapp:+59120000001",
      to: `whatsapp:+${customer}`,
      error_code: null,
    });
    expect(body.sid).to.match(/^SM[0-9a-f]{32}$/);
    const [seen, ...others] = await bench.accepted();
    expect(others).to.be.empty;
    expect(seen).to.deep.equal({
      id: body.sid,
      at: seen?.at,
      channel: "provider-b",
      from: "59120000001",
      to: customer,
      type: "template",
      template: { contentId: "HX2", parameters: ["Ana", "#7"] },
      statuses: [],
    });
    expect((await post({ ...addresses, ContentSid: "HX0" })).status).to.equal(201);
  });

  it("describes an account only to that account", async () => {
    const account = (id: string, login: string) =>
      bench.call("GET", `/2010-04-01/Accounts/${id}.json`, undefined, {
        authorization: `Basic ${Buffer.from(login).toString("base64")}`,
      });
    expect((await account("AC1", "AC1:b-1")).body).to.deep.include({ sid: "AC1", status: "active" });
    await bench.control("POST", "/provider-b", {
      accountId: "AC2",
      token: "b-2",
      phone: "59120000002",
      status: "closed",
    });
    expect((await account("AC2", "AC2:b-2")).body).to.deep.include({ sid: "AC2", status: "closed" });
    for (const [id, login] of [
      ["AC1", "AC1:b-2"],
      ["AC1", "AC2:b-2"],
      ["AC9", "AC9:b-1"],
    ] as const) {
      expect((await account(id, login)).body).to.include({ code: 20003, status: 401 });
    }
  });

  it("accepts texts and media within 24 hours of the customer's last message", async () => {
    const hoursAgo = (hours: number) => ({ timestamp: Math.floor(Date.now() / 1_000 - hours * 3_600) });
    const media = { ...addresses, MediaUrl: "https://example.org/a.jpg" };
    expect((await post(text)).body).to.include({ code: 63016 });
    await say(hoursAgo(24.1));
    expect((await post(media)).body).to.include({ code: 63016 });
    await say(hoursAgo(23.9));
    expect((await post(text)).status).to.equal(201);
    expect((await post({ ...media, Body: "Mira" })).body).to.include({ num_media: "1", body: "Mira" });
    const seen = await bench.accepted();
    expect(seen.map(({ type, text, media }) => ({ type, text, media }))).to.deep.equal([
      { type: "text", text: "Hola", media: undefined },
      { type: "media", text: "Mira", media: { link: "https://example.org/a.jpg" } },
    ]);
    await bench.control("DELETE");
    expect((await post(text)).body).to.include({ code: 63016 });
  });

  const refusals: [what: string, form: Record<string, string>, code: number][] = [
    ["another account's sender", { ...template, From: "whatsapp:+59120000002" }, 63007],
    ["a sender without channel", { ...template, From: "+59120000001" }, 63007],
    ["no recipient", { ...template, To: "" }, 21604],
    ["a recipient on another channel", { ...template, To: `facebook:+${customer}` }, 21211],
    ["a recipient that is not a number", { ...template, To: "whatsapp:+591abc" }, 21211],
    ["an unknown template", { ...template, ContentSid: "HX9" }, 21655],
    ["a missing variable", { ...template, ContentVariables: '{"1":"Ana"}' }, 21656],
    ["one variable too many", { ...template, ContentVariables: '{"1":"Ana","2":"#7","3":"x"}' }, 21656],
    ["an empty variable", { ...template, ContentVariables: '{"1":"Ana","2":""}' }, 21656],
    ["variables that are not JSON", { ...template, ContentVariables: "{" }, 21656],
    ["no variables", { ...addresses, ContentSid: "HX2" }, 21656],
    ["a message without content", addresses, 21619],
    ["a long text", { ...addresses, Body: "x".repeat(1_601) }, 21617],
    ["media without a URL", { ...addresses, MediaUrl: "a.jpg" }, 21620],
    ["an undeliverable recipient", { ...template, To: "whatsapp:+59170000009" }, 63024],
  ];
  for (const [what, form, code] of refusals) {
    it(`refuses ${what}`, async () => {
      const { status, body } = await post(form);
      expect(status).to.equal(400);
      expect(body).to.deep.equal({
        code,
        message: body.message,
        more_info: `https://www.twilio.com/docs/errors/${code}`,
        status: 400,
      });
      expect(body.message).to.be.a("string").that.is.not.equal("An error occurred");
      expect(await bench.accepted()).to.be.empty;
      expect((await bench.control("GET", "/messages/count")).body).to.include({ requests: 1, refused: 1 });
    });
  }

  it("refuses wrong credentials of an account", async () => {
    for (const [account, login] of [
      ["AC1", "AC1:b-2"],
      ["AC1", "AC2:b-1"],
      ["AC2", "AC1:b-1"],
      ["AC1", ""],
    ] as const) {
      const { status, body } = await post(template, account, login);
      expect(status).to.equal(401);
      expect(body).to.include({ code: 20003, message: "Authenticate", status: 401 });
    }
  });

  it("has faults of its own", async () => {
    await bench.control("POST", "/faults", { path: "provider_b_messages", code: 20429, retry_after: 5 });
    expect((await bench.send()).status).to.equal(200);
    expect((await post(template)).body).to.include({ code: 20429, message: "Too Many Requests", status: 429 });
    expect((await post(template)).status).to.equal(201);
  });

  it("accepts accounts from the control routes", async () => {
    const account = { accountId: "AC9", token: "b-9", phone: "+59120000009", templates: [] };
    await bench.control("POST", "/provider-b", account);
    await say({}, "59120000009");
    const form = { ...text, From: "whatsapp:+59120000009" };
    expect((await post(form, "AC9", "AC9:b-9")).status).to.equal(201);
    expect((await say({}, "59120000008")).status).to.equal(400);
    // The service window of customers in `people` is always open.
    await bench.control("DELETE");
    expect((await post(form, "AC9", "AC9:b-9")).body).to.include({ code: 63016 });
    await bench.control("POST", "/provider-b", { ...account, people: [customer] });
    expect((await post(form, "AC9", "AC9:b-9")).status).to.equal(201);
    expect((await bench.control("POST", "/provider-b", { ...account, phone: "x" })).status).to.equal(400);
  });
});
