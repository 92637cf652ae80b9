import { expect } from "chai";
import { Bench, customer } from "./support.ts";

describe("the sandbox's QR provider", () => {
  let bench: Bench;

  before(async () => {
    bench = await Bench.start({
      qrInstances: [
        { instance: "tienda 1", apiKey: "key-1" },
        { instance: "off", apiKey: "key-1", connected: false },
      ],
      undeliverable: ["59170000009"],
    });
  });
  after(() => bench.stop());
  beforeEach(() => bench.control("DELETE"));

  const post = (operation: string, body: unknown, instance = "tienda 1", apikey = "key-1") =>
    bench.call("POST", `/message/${operation}/${encodeURIComponent(instance)}`, body, { apikey });
  const sendText = (changes: object = {}, ...to: string[]) =>
    post("sendText", { number: customer, text: "Hola", ...changes }, ...to);
  const media = { mediatype: "image", media: "https://example.org/a.jpg", caption: "Mira" };
  const sendMedia = (changes: object = {}) => post("sendMedia", { number: customer, ...media, ...changes });

  it("accepts a text in the provider's format", async () => {
    const { status, body } = await sendText({ number: `+${customer}` });
    expect(status).to.equal(201);
    expect(body).to.include({ status: "PENDING", messageType: "conversation" });
    const { id } = body.key as { id: string };
    expect(body.key).to.deep.equal({ id, fromMe: true, remoteJid: `${customer}@s.whatsapp.net` });
    expect(id).to.match(/^3EB0[0-9A-F]{18}$/);
    const [seen, ...others] = await bench.accepted();
    expect(others).to.be.empty;
    expect(seen).to.deep.equal({
      id,
      at: seen?.at,
      channel: "qr",
      from: "tienda 1",
      to: customer,
      type: "text",
      text: "Hola",
      statuses: [],
    });
  });

  it("stores which message is quoted", async () => {
    await sendText({ quoted: { key: { id: "3EB0" } } });
    await sendMedia({ quoted: { key: { id: "3EB1" } } });
    const seen = await bench.accepted();
    expect(seen.map(({ context }) => context)).to.deep.equal([{ message_id: "3EB0" }, { message_id: "3EB1" }]);
    expect((await sendText({ quoted: "3EB0" })).status).to.equal(400);
  });

  it("accepts media with a caption, and documents with a name", async () => {
    await sendMedia();
    await sendMedia({ mediatype: "document", media: "https://example.org/a", fileName: "a.pdf", caption: undefined });
    const [image, document] = await bench.accepted();
    expect(image).to.deep.include({ type: "image", text: "Mira" });
    expect(image).to.have.deep.property("media", { link: "https://example.org/a.jpg" });
    expect(document).to.have.deep.property("media", { link: "https://example.org/a", fileName: "a.pdf" });
    expect(document).not.to.have.property("text");
  });

  const refusals: [what: string, call: () => ReturnType<typeof post>, status: number, message: unknown][] = [
    ["an unknown instance", () => sendText({}, "nobody"), 404, ['The "nobody" instance does not exist']],
    ["a wrong key", () => sendText({}, "tienda 1", "key-2"), 401, "Unauthorized"],
    ["a phone that is off", () => sendText({}, "off"), 500, "Connection Closed"],
    ["no number", () => sendText({ number: undefined }), 400, [['instance requires property "number"']]],
    ["no text", () => sendText({ text: undefined }), 400, [['instance requires property "text"']]],
    ["an empty text", () => sendText({ text: " " }), 400, ["Text is required"]],
    ["a body that is not JSON", () => post("sendText", "{"), 400, [["instance is not of a type(s) object"]]],
    [
      "a number that does not exist",
      () => sendText({ number: "59170000009" }),
      400,
      [{ jid: "59170000009@s.whatsapp.net", exists: false, number: "59170000009" }],
    ],
    [
      "a recipient that is not a number",
      () => sendMedia({ number: "ana" }),
      400,
      [{ jid: "ana@s.whatsapp.net", exists: false, number: "ana" }],
    ],
    ["media without number", () => sendMedia({ number: 7 }), 400, [['instance requires property "number"']]],
    [
      "media of an unknown type",
      () => sendMedia({ mediatype: "file" }),
      400,
      [["instance mediatype is not one of enum values: image,document,video,audio"]],
    ],
    ["media without a URL", () => sendMedia({ media: "a" }), 400, ["Owned media must be a url or base64"]],
    [
      "a document without a name",
      () => sendMedia({ mediatype: "document", media: "https://example.org/a" }),
      500,
      ["TypeError: Cannot read properties of null (reading '1')"],
    ],
  ];
  const errors: Record<number, string> = {
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    500: "Internal Server Error",
  };
  for (const [what, call, status, message] of refusals) {
    it(`refuses ${what}`, async () => {
      expect(await call()).to.deep.equal({ status, body: { status, error: errors[status], response: { message } } });
      expect(await bench.accepted()).to.be.empty;
      expect((await bench.control("GET", "/messages/count")).body).to.include({ requests: 1, refused: 1 });
    });
  }

  it("has faults of its own, with HTTP statuses as codes", async () => {
    await bench.control("POST", "/faults", { path: "send_text", code: 429, retry_after: 5 });
    await bench.control("POST", "/faults", { path: "send_media", status: 403, code: 1, message: "no" });
    expect((await sendMedia()).body).to.deep.equal({ status: 403, error: "Forbidden", response: { message: ["no"] } });
    expect((await sendText()).body).to.deep.include({ status: 429, error: "Too Many Requests" });
    expect((await sendText()).status).to.equal(201);
    expect((await sendMedia()).status).to.equal(201);
  });

  it("accepts instances from the control routes", async () => {
    await bench.control("POST", "/qr-instances", { instance: "new", apiKey: "key-9" });
    expect((await sendText({}, "new", "key-9")).status).to.equal(201);
    await bench.control("POST", "/qr-instances", { instance: "new", apiKey: "key-9", connected: false });
    expect((await sendText({}, "new", "key-9")).status).to.equal(500);
    expect((await bench.control("POST", "/qr-instances", { instance: "new" })).status).to.equal(400);
  });
});
