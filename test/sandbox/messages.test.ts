import { expect } from "chai";
import { aMessage, anAccount, Bench, customer, template, texts } from "./support.ts";

const named = (...names: string[]) => names.map((name) => ({ type: "text", parameter_name: name, text: `a ${name}` }));

describe("sending in the sandbox", () => {
  let bench: Bench;

  before(async () => {
    const other = anAccount({ token: "token-2", accountId: "1002", phoneNumberId: "2002", messagesPerSecond: 2 });
    bench = await Bench.start({ accounts: [anAccount(), other], undeliverable: ["59170000009"] });
  });
  after(() => bench.stop());
  beforeEach(() => bench.control("DELETE"));

  it("accepts a template in the platform's format", async () => {
    const ready = template("order_ready", [{ type: "body", parameters: texts("Ana", "#7") }]);
    const { status, body } = await bench.send({ to: "+59170000001", template: ready, biz_opaque_callback_data: "r-1" });
    expect(status).to.equal(200);
    expect(body).to.have.all.keys("messaging_product", "contacts", "messages");
    expect(body).to.deep.include({ messaging_product: "whatsapp" });
    expect(body.contacts).to.deep.equal([{ input: "+59170000001", wa_id: "59170000001" }]);
    const [message] = body.messages as { id: string }[];
    expect(message?.id).to.match(/^wamid\.[\w+/]+=*$/);
    expect(message).to.deep.equal({ id: message?.id, message_status: "accepted" });

    const [seen, ...others] = await bench.accepted();
    expect(others).to.be.empty;
    expect(seen).to.deep.include({
      id: message?.id,
      phoneNumberId: "2001",
      to: "59170000001",
      type: "template",
      template: { name: "order_ready", language: "es", parameters: ["Ana", "#7"] },
      reference: "r-1",
    });
    expect(new Date(String(seen?.at)).toISOString()).to.equal(seen?.at);
  });

  it("accepts named parameters, header texts, header media and open buttons", async () => {
    await bench.sent({ template: template("named", [{ type: "body", parameters: named("name", "day") }]) });
    const image = { type: "image", image: { link: "https://example.org/a.jpg" } };
    await bench.sent({ template: template("photo", [{ type: "header", parameters: [image] }]) });
    const header = { type: "header", parameters: texts("Ana") };
    const button = { type: "button", sub_type: "url", index: "0", parameters: texts("7") };
    await bench.sent({ template: template("link", [header, button]) });

    const seen = (await bench.accepted()).map((message) => message.template);
    expect(seen).to.deep.equal([
      { name: "named", language: "es", parameters: ["a name", "a day"] },
      { name: "photo", language: "es", parameters: [], header: { type: "image", value: "https://example.org/a.jpg" } },
      { name: "link", language: "es", parameters: [], header: { type: "text", value: "Ana" } },
    ]);
  });

  const components = (...list: unknown[]) => ({ template: template("photo", list) });
  const ready = (...parameters: unknown[]) => ({ template: template("order_ready", [{ type: "body", parameters }]) });
  const refusals: [what: string, changes: Record<string, unknown>, status: number, code: number, details?: RegExp][] = [
    ["a missing product", { messaging_product: undefined }, 400, 100],
    ["a missing recipient", { to: undefined }, 400, 100],
    ["a recipient with letters", { to: "591abc00000" }, 400, 100, /phone number/],
    ["a recipient that is too short", { to: "1234567" }, 400, 100, /phone number/],
    ["a recipient that is too long", { to: "1234567890123456" }, 400, 100, /phone number/],
    ["an unreachable recipient", { to: "59170000009" }, 400, 131026, /Undeliverable/],
    ["a type that does not exist", { type: "telegram" }, 400, 100],
    ["a long reference", { biz_opaque_callback_data: "x".repeat(513) }, 400, 100],
    ["an unknown template", { template: template("nothing") }, 404, 132001, /\(nothing\) does not exist in es/],
    ["a wrong language", { template: template("plain", [], "en") }, 404, 132001, /\(plain\) does not exist in en/],
    ["a template that waits for approval", { template: template("pending") }, 404, 132001],
    ["a paused template", { template: template("paused") }, 400, 132015],
    ["a disabled template", { template: template("disabled") }, 400, 132016],
    [
      "too few parameters",
      ready(...texts("Ana")),
      400,
      132000,
      /^body: number of localizable_params \(1\) does not match the expected number of params \(2\)$/,
    ],
    ["too many parameters", { template: template("plain", [{ type: "body", parameters: texts("a") }]) }, 400, 132000],
    ["an empty parameter", ready(...texts("Ana", "")), 400, 100, /'text' is mandatory/],
    ["a parameter with a line break", ready(...texts("Ana", "a\nb")), 400, 100, /new-line/],
    ["a parameter that is not a text", ready(...texts("Ana", 7)), 400, 100],
    ["a body that is too long after filling in", ready(...texts("Ana", "x".repeat(1100))), 400, 132005],
    [
      "a named parameter without its name",
      { template: template("named", [{ type: "body", parameters: texts("a", "b") }]) },
      400,
      100,
      /name is missing/,
    ],
    [
      "an unknown parameter name",
      { template: template("named", [{ type: "body", parameters: named("name", "date") }]) },
      400,
      100,
    ],
    [
      "a name that is given twice",
      { template: template("named", [{ type: "body", parameters: named("name", "name") }]) },
      400,
      100,
      /more than once/,
    ],
    [
      "too few named parameters",
      { template: template("named", [{ type: "body", parameters: named("name") }]) },
      400,
      132000,
    ],
    ["a missing header", components(), 400, 132012, /^header: Format mismatch, expected IMAGE, received UNKNOWN$/],
    [
      "a header of another type",
      components({ type: "header", parameters: [{ type: "video", video: { link: "https://example.org/v" } }] }),
      400,
      132012,
      /expected IMAGE, received VIDEO/,
    ],
    [
      "header media without a URL",
      components({ type: "header", parameters: [{ type: "image", image: {} }] }),
      400,
      100,
    ],
    ["a header text that is missing", { template: template("link") }, 400, 132000, /^header: /],
    [
      "an open button without its parameter",
      { template: template("link", [{ type: "header", parameters: texts("Ana") }]) },
      400,
      131008,
      /index 0/,
    ],
    ["a text outside the 24 hours", { type: "text", text: { body: "hola" } }, 400, 131047, /24 hours/],
    ["an empty text", { type: "text", text: { body: " " } }, 400, 100],
  ];
  for (const [what, changes, status, code, details] of refusals) {
    it(`refuses ${what} with ${code}`, async () => {
      const { status: answered, body } = await bench.send(changes);
      const error = body.error as { code: number; error_data?: { details: string }; message: string; type: string };
      expect({ answered, code: error.code }).to.deep.equal({ answered: status, code });
      expect(error.type).to.equal("OAuthException");
      expect(error).to.have.property("fbtrace_id").that.is.a("string");
      expect(error.message).to.match(new RegExp(`^\\(#${code}\\) `));
      if (details) expect(error.error_data?.details).to.match(details);
      expect(await bench.accepted()).to.deep.equal([]);
      expect((await bench.control("GET", "/messages/count")).body).to.deep.include({ requests: 1, refused: 1 });
    });
  }

  it("uses the platform's wording for errors", async () => {
    const { body } = await bench.send({ template: template("nothing") });
    const error = body.error as Record<string, unknown>;
    expect(error).to.deep.equal({
      message: "(#132001) Template name does not exist in the translation",
      type: "OAuthException",
      code: 132001,
      error_data: { messaging_product: "whatsapp", details: "template name (nothing) does not exist in es" },
      fbtrace_id: error.fbtrace_id,
    });
  });

  it("refuses unknown tokens, and tokens of another number", async () => {
    const post = (id: string, authorization: string) =>
      bench.call("POST", `/v19.0/${id}/messages`, aMessage(), { authorization });
    for (const authorization of ["Bearer nobody", "", "Basic token-1"]) {
      expect((await post("2001", authorization)).status).to.equal(401);
    }
    expect((await post("2001", "Bearer nobody")).body.error).to.include({ code: 190 });

    const foreign = await post("2001", "Bearer token-2");
    expect(foreign.status).to.equal(400);
    expect(foreign.body.error).to.include({ code: 100, error_subcode: 33, type: "GraphMethodException" });
    const { status, body } = await post("9999", "Bearer token-1");
    expect(status).to.equal(400);
    expect(body.error).to.include({ code: 100, error_subcode: 33 });
  });

  for (const body of ["{", "[]", "", "null"]) {
    it(`answers ${JSON.stringify(body)} with error 100`, async () => {
      const answer = await bench.call("POST", "/v23.0/2001/messages", body);
      expect(answer.status).to.equal(400);
      expect(answer.body.error).to.include({ code: 100, type: "OAuthException" });
    });
  }

  it("accepts a message of usual size, and refuses a body over a megabyte", async () => {
    expect((await bench.call("POST", "/v23.0/2001/messages", "x".repeat(1_000_001))).status).to.equal(413);
    expect((await bench.send()).status).to.equal(200);
  });

  it("answers an unknown path like the platform", async () => {
    const { status, body } = await bench.call("GET", "/elsewhere");
    expect(status).to.equal(400);
    expect(body.error).to.include({ code: 2500 });
  });

  it("allows texts and media within 24 hours of the customer's last message", async () => {
    const at = (hoursAgo: number) => Math.floor(Date.now() / 1000 - hoursAgo * 3600);
    await bench.control("POST", `/customers/${customer}/say`, { text: "hola", timestamp: at(24.1) });
    expect((await bench.send({ type: "text", text: { body: "hola" } })).status).to.equal(400);
    await bench.control("POST", `/customers/${customer}/say`, { text: "hola", timestamp: at(23.9) });

    await bench.sent({ type: "text", text: { body: "hola" } });
    await bench.sent({ type: "image", image: { link: "https://example.org/a.jpg", caption: "a" } });
    await bench.sent({ type: "document", document: { link: "https://example.org/a.pdf" } });
    await bench.sent({ type: "video", video: { link: "https://example.org/a.mp4" } });
    await bench.sent({ type: "audio", audio: { link: "https://example.org/a.ogg" } });
    await bench.sent({ type: "reaction", reaction: { message_id: "wamid.x", emoji: "👍" } });
    const seen = await bench.accepted();
    expect(seen.map(({ type }) => type)).to.deep.equal(["text", "image", "document", "video", "audio", "reaction"]);
    expect(seen[0]).to.include({ text: "hola" });
    expect(seen[1]?.media).to.deep.equal({ link: "https://example.org/a.jpg", caption: "a" });

    const elsewhere = await bench.call(
      "POST",
      "/v23.0/2002/messages",
      aMessage({ type: "text", text: { body: "hola" } }),
      { authorization: "Bearer token-2" },
    );
    expect(elsewhere.body.error).to.include({ code: 131047 });
  });

  it("marks a message as read", async () => {
    const read = (message_id: string) =>
      bench.call("POST", "/v23.0/2001/messages", { messaging_product: "whatsapp", status: "read", message_id });
    const reads = async (query = "") => {
      const { body } = await bench.control<{ message_id: string; times: number }[]>("GET", `/reads${query}`);
      return body.map(({ message_id: id, times }) => [id, times]);
    };
    expect(await read("wamid.x")).to.deep.equal({ status: 200, body: { success: true } });
    expect((await read("x")).body.error).to.include({ code: 100 });
    expect(await bench.accepted()).to.be.empty;
    for (const id of ["wamid.y", "wamid.x"]) await read(id);
    expect(await reads("?message_id=wamid.x")).to.deep.equal([["wamid.x", 2]]);
    expect(await reads()).to.have.deep.members([
      ["wamid.y", 1],
      ["wamid.x", 2],
    ]);
    await bench.control("DELETE");
    expect(await reads()).to.deep.equal([]);
  });

  it("stores which message is quoted", async () => {
    await bench.sent({ context: { message_id: "wamid.theirs" } });
    await bench.sent();
    const seen = await bench.accepted();
    expect(seen.map(({ context }) => context)).to.deep.equal([{ message_id: "wamid.theirs" }, undefined]);
    for (const context of ["wamid.theirs", {}, { message_id: 5 }]) {
      expect((await bench.send({ context })).body.error).to.include({ code: 100 });
    }
  });

  it("limits the rate of a number", async () => {
    const token2 = { authorization: "Bearer token-2" };
    const post = () => bench.call("POST", "/v23.0/2002/messages", aMessage(), token2);
    const answers = await Promise.all(Array.from({ length: 12 }, post));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).to.have.length.within(1, 10); // At least two pass. More pass if the twelve requests take long.
    for (const { status, body } of refused) {
      expect(status).to.equal(429);
      expect(body.error).to.include({ code: 130429 });
    }
    const unlimited = await Promise.all(Array.from({ length: 12 }, () => bench.send()));
    expect(unlimited.every(({ status }) => status === 200)).to.equal(true);
  });
});
