import { expect } from "chai";
import twilio from "twilio";
import { eventually } from "../support/wait.ts";
import { Bench, customer } from "./support.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

const token = "b-1";
const file = Buffer.from("not really a picture");
const picture = { type: "image", mime: "image/jpeg", base64: file.toString("base64") };

/** The vendor's client. It always requests the vendor's host, so its HTTP client replaces that host with `url`. */
function clientAt(url: string) {
  class ElsewhereClient extends twilio.RequestClient {
    override request<Data>(opts: Parameters<twilio.RequestClient["request"]>[0]) {
      return super.request<Data>({ ...opts, uri: opts.uri.replace("https://api.twilio.com", url) } as never);
    }
  }
  return twilio("AC1", token, { httpClient: new ElsewhereClient() });
}

describe("the sandbox's webhooks of ProviderB", () => {
  let bench: Bench;
  let receiver: WebhookReceiver;

  before(async () => {
    receiver = await WebhookReceiver.start();
    bench = await Bench.start({
      providerB: [
        {
          ...{ accountId: "AC1", token, phone: "59120000001", webhookUrl: `${receiver.url}/in?tenant=1` },
          templates: [{ contentId: "HX0", variables: 0 }],
        },
        { accountId: "AC2", token: "b-2", phone: "59120000002" },
      ],
    });
  });
  after(async () => {
    await bench.stop();
    receiver.stop();
  });
  beforeEach(async () => {
    await bench.control("DELETE");
    receiver.clear();
  });

  const say = (input: object, id = customer) =>
    bench.control("POST", `/customers/${id}/say`, { channel: "provider-b", ...input });
  const login = (pair = `AC1:${token}`) => ({ authorization: `Basic ${Buffer.from(pair).toString("base64")}` });
  const send = (form: object = {}) =>
    bench.call(
      "POST",
      "/2010-04-01/Accounts/AC1/Messages.json",
      new URLSearchParams({
        ...{ To: `whatsapp:+${customer}`, From: "whatsapp:+59120000001", ContentSid: "HX0" },
        ...{ StatusCallback: `${receiver.url}/status` },
        ...form,
      }).toString(),
      login(),
    );
  const forms = (): Record<string, string>[] =>
    receiver.arrived.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  const written = async (input: object): Promise<Record<string, string>> => {
    const { body } = await say(input);
    expect(body, JSON.stringify(body)).to.include({ delivered: true });
    return forms().at(-1) ?? {};
  };

  it("contain a customer's text, with a signature that the vendor's own library accepts", async () => {
    const { body } = await say({ text: "¿Tienen talla M? 50 % & más", name: "Ana Ñ" });
    const { headers = {}, url = "" } = receiver.arrived[0] ?? {};
    expect(receiver.arrived).to.have.length(1);
    expect(url).to.equal(`${receiver.url}/in?tenant=1`);
    expect(headers["content-type"]).to.match(/^application\/x-www-form-urlencoded/);
    const [form = {}] = forms();
    const signature = String(headers["x-twilio-signature"]);
    expect(twilio.validateRequest(token, signature, url, form)).to.equal(true);
    expect(twilio.validateRequest(token, signature, url, { ...form, Body: "x" })).to.equal(false);
    expect(twilio.validateRequest("b-2", signature, url, form)).to.equal(false);
    expect(form).to.deep.include({
      ...{ SmsMessageSid: body.id, MessageSid: body.id, SmsSid: body.id, AccountSid: "AC1" },
      ...{ From: `whatsapp:+${customer}`, To: "whatsapp:+59120000001", Body: "¿Tienen talla M? 50 % & más" },
      ...{ NumMedia: "0", ProfileName: "Ana Ñ", WaId: customer, SmsStatus: "received", NumSegments: "1" },
      ...{ ReferralNumMedia: "0", MessageType: "text", ApiVersion: "2010-04-01" },
    });
  });

  const kinds: [what: string, input: object, fields: Record<string, string>][] = [
    [
      "a place",
      { location: { lat: -17.5, lng: -63.25, label: "Plaza", address: "Centro" } },
      { MessageType: "location", Body: "", Latitude: "-17.5", Longitude: "-63.25", Label: "Plaza", Address: "Centro" },
    ],
    [
      "a template's button",
      { button: { text: "Sí", payload: "yes" }, reply_to: "MM1" },
      {
        ...{ MessageType: "button", Body: "Sí", ButtonText: "Sí", ButtonPayload: "yes" },
        ...{ OriginalRepliedMessageSid: "MM1", OriginalRepliedMessageSender: "whatsapp:+59120000001" },
      },
    ],
    ["a button", { button: { text: "Sí", payload: "yes" } }, { MessageType: "interactive", ButtonPayload: "yes" }],
    [
      "a row of a list",
      { list: { id: "blue", title: "Azul" } },
      { MessageType: "interactive", ListId: "blue", ListTitle: "Azul", Body: "Azul" },
    ],
    [
      "an answer to an ad",
      { text: "Hola", referral: { source_id: "7", headline: "Oferta", ctwa_clid: "AR" } },
      { ReferralSourceType: "ad", ReferralSourceId: "7", ReferralHeadline: "Oferta", ReferralCtwaClid: "AR" },
    ],
    ["an unknown type of message", { text: "Hola", fields: { MessageType: "hologram" } }, { MessageType: "hologram" }],
    [
      "a document with its name as the text",
      { media: { ...picture, type: "document", mime: "application/pdf", filename: "a.pdf" } },
      { MessageType: "document", Body: "a.pdf", NumMedia: "1", MediaContentType0: "application/pdf" },
    ],
    [
      "a contact",
      { media: { ...picture, type: "document", mime: "text/vcard" } },
      { MessageType: "contacts", Body: "", MediaContentType0: "text/vcard" },
    ],
  ];
  for (const [what, input, fields] of kinds) {
    it(`contain ${what}`, async () => {
      expect(await written(input)).to.include(fields);
    });
  }

  it("name the author of the quoted message", async () => {
    const { MessageSid = "" } = await written({ text: "Hola" });
    const answer = await written({ text: "O no", reply_to: MessageSid });
    expect(answer).to.include({ OriginalRepliedMessageSender: `whatsapp:+${customer}` });
  });

  const open = (url: string, headers: Record<string, string> = {}) => fetch(url, { headers, redirect: "manual" });

  it("link a file by a URL that needs the login and redirects to one that refuses it", async () => {
    const { MediaUrl0: url = "", ...form } = await written({ media: picture, text: "Este" });
    expect(form).to.include({ MessageType: "image", Body: "Este", NumMedia: "1", MediaContentType0: "image/jpeg" });
    expect(url).to.contain(`${bench.sandbox.url}/2010-04-01/Accounts/AC1/Messages/${form.MessageSid}/Media/ME`);
    for (const wrong of [undefined, login("AC1:x"), login("AC2:b-2")]) {
      const { status } = await open(url, wrong);
      expect(status).to.equal(401);
    }
    expect((await open(url.replace("AC1", "AC2"), login("AC2:b-2"))).status).to.equal(404);
    const redirection = await open(url, login());
    expect(redirection.status).to.equal(302);
    const location = redirection.headers.get("location") ?? "";
    const answer = await open(location);
    expect(answer.headers.get("content-type")).to.equal("image/jpeg");
    expect(Buffer.from(await answer.arrayBuffer())).to.deep.equal(file);
    // The storage behind the redirect refuses requests with a login.
    expect((await open(location, login())).status).to.equal(400);
    await bench.control("DELETE");
    expect((await open(location)).status).to.equal(404);
    expect((await open(url, login())).status).to.equal(404);
  });

  it("contain several files of one message", async () => {
    const form = await written({ media: picture, album: [{ ...picture, mime: "image/png" }], text: "Estos" });
    expect(form).to.include({ NumMedia: "2", MediaContentType0: "image/jpeg", MediaContentType1: "image/png" });
    expect(form.MediaUrl1).to.be.a("string").that.is.not.equal(form.MediaUrl0);
    expect((await open(form.MediaUrl1 ?? "", login())).status).to.equal(302);
  });

  it("link files by URLs that expire", async () => {
    const short = await Bench.start({
      mediaLinkMs: 0,
      providerB: [{ accountId: "AC1", token, phone: "59120000001", webhookUrl: receiver.url }],
    });
    try {
      await short.control("POST", `/customers/${customer}/say`, { channel: "provider-b", media: picture });
      const location = (await open(forms()[0]?.MediaUrl0 ?? "", login())).headers.get("location") ?? "";
      await eventually(async () => (await open(location)).status === 404);
    } finally {
      await short.stop();
    }
  });

  it("are sent for messages of the vendor's own client, which also understands a refusal", async () => {
    const { messages } = clientAt(bench.sandbox.url);
    const addresses = { to: `whatsapp:+${customer}`, from: "whatsapp:+59120000001" };
    const sent = await messages.create({ ...addresses, contentSid: "HX0", statusCallback: `${receiver.url}/status` });
    expect(sent).to.include({ status: "queued", accountSid: "AC1", direction: "outbound-api", ...addresses });
    expect(Math.abs(Date.now() - sent.dateCreated.getTime())).to.be.below(60_000);
    await eventually(() => statuses().length === 4);
    expect(new Set(forms().map(({ MessageSid }) => MessageSid))).to.deep.equal(new Set([sent.sid]));
    const refused = await messages.create({ ...addresses, body: "Hola" }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(twilio.RestException).and.to.include({ status: 400, code: 63016 });
  });

  it("open the customer's service window of 24 hours", async () => {
    const text = { ContentSid: "", Body: "Hola" };
    const { ContentSid: _, ...free } = text;
    const post = () =>
      bench.call(
        "POST",
        "/2010-04-01/Accounts/AC2/Messages.json",
        new URLSearchParams({
          ...free,
          To: `whatsapp:+${customer}`,
          From: "whatsapp:+59120000002",
        }).toString(),
        login("AC2:b-2"),
      );
    expect((await post()).body).to.include({ code: 63016 });
    expect((await say({ to: "+59120000002", text: "a" })).body).to.include({ delivered: false });
    expect((await post()).status).to.equal(201);
    expect(receiver.arrived).to.deep.equal([]);
  });

  const statuses = () => forms().map(({ MessageStatus }) => MessageStatus);

  it("report each status of a message to the URL that the message named", async () => {
    const { sid } = (await send()).body;
    await eventually(() => receiver.arrived.length === 4);
    expect(statuses()).to.deep.equal(["queued", "sent", "delivered", "read"]);
    const { url = "", headers = {} } = receiver.arrived[3] ?? {};
    expect(url).to.equal(`${receiver.url}/status`);
    const form = forms()[3] ?? {};
    expect(twilio.validateRequest(token, String(headers["x-twilio-signature"]), url, form)).to.equal(true);
    expect(form).to.include({
      ...{ MessageSid: sid, SmsSid: sid, MessageStatus: "read", SmsStatus: "read", EventType: "READ" },
      ...{ To: `whatsapp:+${customer}`, From: "whatsapp:+59120000001", AccountSid: "AC1", ChannelPrefix: "whatsapp" },
      ...{ ApiVersion: "2010-04-01", ChannelToAddress: "+5917000XXXX", StructuredMessage: "true" },
    });
    await eventually(async () => (await bench.accepted())[0]?.statuses?.toString() === "queued,sent,delivered,read");
  });

  it("report failures with a code, are repeated or left out as on the other channels", async () => {
    await bench.control("POST", "/webhooks", { fail_numbers: [customer], repeat: 2 });
    await send();
    await eventually(() => receiver.arrived.length === 6);
    expect(statuses()).to.deep.equal(["queued", "queued", "sent", "sent", "undelivered", "undelivered"]);
    expect(forms()[5]).to.include({ ErrorCode: "63024", ErrorMessage: "Invalid message recipient" });
    receiver.clear();
    await bench.control("POST", "/webhooks", { repeat: 1, fail_code: 63049 });
    await send();
    await eventually(() => receiver.arrived.length === 3);
    expect(forms()[2]).to.include({ ErrorCode: "63049" });
    receiver.clear();
    await bench.control("POST", "/webhooks", { fail_numbers: [], mute: [customer] });
    await send();
    await bench.control("POST", "/webhooks", { mute: [] });
    const { sid } = (await send()).body;
    await eventually(() => receiver.arrived.length === 4);
    expect(new Set(forms().map(({ MessageSid }) => MessageSid))).to.deep.equal(new Set([sid]));
  });

  it("are not sent if a message names no URL, and an invalid URL is refused", async () => {
    expect((await send({ StatusCallback: "" })).status).to.equal(201);
    expect((await send({ StatusCallback: "mailto:a@b.test" })).body).to.include({ code: 21609 });
    const { sid } = (await send()).body;
    await eventually(() => receiver.arrived.length === 4);
    expect(new Set(forms().map(({ MessageSid }) => MessageSid))).to.deep.equal(new Set([sid]));
  });

  it("are repeated only a few times after failures", async () => {
    receiver.answer = () => 500;
    expect((await say({ text: "a" })).body).to.include({ delivered: false });
    await send();
    await eventually(async () => (await bench.control("GET", "/webhooks")).body.dropped === 4);
    expect(receiver.arrived.filter(({ url }) => url.includes("/in?"))).to.have.length(3);
    expect(receiver.arrived.filter(({ url }) => url.includes("/status"))).to.have.length(12);
  });

  it("are not sent for invalid input or for reactions", async () => {
    for (const [input, complaint] of [
      [{}, /text must be given/],
      [{ text: "a", to: "7" }, /to must be an account or its number/],
      [{ location: { lat: 91, lng: 0 } }, /lat must be a number/],
    ] as const) {
      const { status, body } = await say(input);
      expect([status, complaint.test(String(body.error))], JSON.stringify(body)).to.deep.equal([400, true]);
    }
    const reaction = { channel: "provider-b", message_id: "SM1", emoji: "👍" };
    const { status, body } = await bench.control("POST", `/customers/${customer}/react`, reaction);
    expect([status, body.error]).to.deep.equal([
      400,
      "customers of ProviderB cannot react: it does not report reactions",
    ]);
  });
});
