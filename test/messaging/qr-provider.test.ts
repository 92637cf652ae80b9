import { expect } from "chai";
import { qrProvider } from "../../src/channels/qr/send.ts";
import { qrChannel } from "../../src/kernel/channels.ts";
import { aMessage, clip, host, paper, picture, Stage, senderOn, template, timeouts, voice } from "./channel-support.ts";

describe("the QR provider", () => {
  const stage = Stage.use({
    connect: (client) => qrProvider({ client, baseUrl: `${host}/`, timeouts }),
    sender: senderOn(qrChannel, { platformId: "tienda 1" }),
    path: "/message/sendText/tienda%201",
  });
  const mediaPath = { path: "/message/sendMedia/tienda%201" };

  it("gets exactly this request for a text, even from a template", async () => {
    const { headers, body } = await stage.askedFor(aMessage({ template }));
    expect(headers).to.include({ apikey: "EAAsecret", "content-type": "application/json" });
    expect(headers).not.to.have.property("authorization");
    expect(body).to.deep.equal({ number: "59170000001", text: 'Hola Ana, ñandú "2" & más' });
  });

  it("gets media with the text as its caption", async () => {
    const bodies = [];
    for (const media of [picture, clip]) {
      bodies.push((await stage.askedFor(aMessage({ text: "Mira", media }), mediaPath)).body);
    }
    bodies.push((await stage.askedFor(aMessage({ text: "", media: picture }), mediaPath)).body);
    expect(bodies).to.deep.equal([
      { number: "59170000001", mediatype: "image", media: picture.link, caption: "Mira" },
      { number: "59170000001", mediatype: "video", media: clip.link, caption: "Mira" },
      { number: "59170000001", mediatype: "image", media: picture.link },
    ]);
  });

  it("gets the quoted message, with a text and with media", async () => {
    const quoted = { key: { id: "3EB0" } };
    const text = await stage.askedFor(aMessage({ replyTo: "3EB0" }));
    expect(text.body).to.have.deep.property("quoted", quoted);
    const media = await stage.askedFor(aMessage({ text: "", media: picture, replyTo: "3EB0" }), mediaPath);
    expect(media.body).to.have.deep.property("quoted", quoted);
  });

  it("gets voice without a text, or a text with the link below, as voice has no caption", async () => {
    const { body } = await stage.askedFor(aMessage({ text: "", media: voice }), mediaPath);
    expect(body).to.deep.equal({ number: "59170000001", mediatype: "audio", media: voice.link });
    const worded = await stage.askedFor(aMessage({ text: "Escucha", media: voice }));
    expect(worded.body).to.deep.equal({ number: "59170000001", text: `Escucha\n\n${voice.link}` });
  });

  it("gets a name for each document", async () => {
    const names = [];
    for (const link of [paper.link, "https://files.test", "https://files.test/50%", "no link"]) {
      const media = { type: "document", link } as const;
      names.push((await stage.askedFor(aMessage({ media }), mediaPath)).body as { fileName: string });
    }
    expect(names.map(({ fileName }) => fileName)).to.deep.equal(["precios de hoy.pdf", "document", "50%", "document"]);
  });

  it("accepts a message with its ids", async () => {
    const accepted = (remoteJid: unknown) =>
      stage.outcomeOf(201, { key: { id: "3EB0", fromMe: true, remoteJid }, status: "PENDING" });
    expect(await accepted("5917@s.whatsapp.net")).to.deep.equal({
      kind: "accepted",
      platformMessageId: "3EB0",
      recipientId: "5917",
    });
    for (const other of ["123@lid", undefined]) {
      expect(await accepted(other)).to.deep.equal({ kind: "accepted", platformMessageId: "3EB0" });
    }
  });

  const said = (status: number, error: string, message: unknown) => ({ status, error, response: { message } });
  const refusals: [what: string, status: number, body: object, cls: string, reason: string][] = [
    [
      "a number that does not exist",
      400,
      said(400, "Bad Request", [{ jid: "59170000001@s.whatsapp.net", exists: false, number: "59170000001" }]),
      "final",
      "the number does not exist on this channel",
    ],
    [
      "an invalid request",
      400,
      said(400, "Bad Request", [['instance requires property "text"', "of 59170000001"]]),
      "final",
      'bad request: instance requires property "text"; of ***',
    ],
    ["a wrong key", 401, said(401, "Unauthorized", "Unauthorized"), "stop", "Unauthorized: Unauthorized"],
    ["a forbidden call", 403, said(403, "Forbidden", ["no EAAsecret", { a: 1 }]), "stop", "Forbidden: no ***"],
    [
      "an unknown instance",
      404,
      said(404, "Not Found", ['The "x" instance does not exist']),
      "stop",
      'Not Found: The "x" instance does not exist',
    ],
    ["too many calls", 429, said(429, "Too Many Requests", ["Slow"]), "wait-sender", "Too Many Requests: Slow"],
    [
      "a phone that is off",
      500,
      said(500, "Internal Server Error", "Connection Closed"),
      "wait-sender",
      "the phone is not connected",
    ],
  ];
  for (const [what, status, body, cls, reason] of refusals) {
    it(`refuses a message as ${cls} after ${what}`, async () => {
      expect(await stage.outcomeOf(status, body)).to.deep.equal({
        kind: "refused",
        refusal: { class: cls, code: status, reason },
      });
    });
  }

  it("refuses with the time to wait", async () => {
    const outcome = await stage.outcomeOf(429, said(429, "Too Many Requests", []), { "Retry-After": "3" });
    expect(outcome).to.have.nested.property("refusal.retryAfterMs", 3_000);
  });

  stage.provesNothing({
    "an error after the message has left": [400, said(400, "Bad Request", ["PrismaClientKnownRequestError: create"])],
    "a connection that closed on the way": [400, said(400, "Bad Request", ["Error: Connection Closed"])],
    "a 500 of its own": [500, said(500, "Internal Server Error", "Cannot read properties of undefined")],
    "a closed connection among others": [500, said(500, "Internal Server Error", ["Connection Closed"])],
    "a number that exists": [400, said(400, "Bad Request", [{ exists: true }])],
    "a list of other things": [400, said(400, "Bad Request", [[{ a: 1 }]])],
    "an error of another status": [401, said(400, "Bad Request", ["no"])],
    "an error without words": [401, { status: 401, error: "Unauthorized" }],
    "an error without a name": [404, { status: 404, response: { message: ["no"] } }],
    "a 201 without an id": [201, { key: { remoteJid: "5917@s.whatsapp.net" }, status: "PENDING" }],
    "an id with an error status": [502, { key: { id: "3EB0" } }],
  });
});
