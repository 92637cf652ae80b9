import { expect } from "chai";
import nock from "nock";
import { providerBMessages } from "../../src/channels/provider-b/send.ts";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { providerBChannel } from "../../src/kernel/channels.ts";
import type { RefusalClass } from "../../src/messaging/domain/platform.ts";
import { aMessage, host, paper, picture, Stage, senderOn, template, timeouts, voice } from "./channel-support.ts";

describe("ProviderB", () => {
  const connectAt = (root: string, baseUrl: string) => (client: HttpClient) =>
    providerBMessages({ client, baseUrl, timeouts, address: { root } });
  const stage = Stage.use({
    connect: connectAt("https://recado.test", `${host}/`),
    sender: senderOn(providerBChannel),
    path: "/2010-04-01/Accounts/AC2066/Messages.json",
  });
  const numbers = { To: "whatsapp:+59170000001", From: "whatsapp:+59120000001" };
  const reference = "5ac7f2f8-6f5b-4c43-9a56-3a1a4f3d3d3a";
  const callback = `https://recado.test/webhooks/provider-b?ref=${reference}`;
  const addresses = { ...numbers, StatusCallback: callback };

  const fieldsOf = (body: unknown) => Object.fromEntries(new URLSearchParams(String(body)));

  it("gets exactly this request for a template that is registered there", async () => {
    const { headers, body } = await stage.askedFor(aMessage({ template, media: picture }));
    expect(headers).to.include({
      authorization: `Basic ${Buffer.from("AC2066:EAAsecret").toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
    });
    expect(fieldsOf(body)).to.deep.equal({
      ...addresses,
      ContentSid: "HX1",
      ContentVariables: '{"1":"Ana","2":"ñandú \\"2\\""}',
    });
  });

  it("gets numbered variables for a template with named placeholders", async () => {
    const named = { ...template, parameterNames: ["nombre", "pedido"] };
    const { body } = await stage.askedFor(aMessage({ template: named }));
    expect(fieldsOf(body).ContentVariables).to.equal('{"1":"Ana","2":"ñandú \\"2\\""}');
  });

  it("gets no variables for a template without parameters", async () => {
    const { body } = await stage.askedFor(aMessage({ template: { ...template, parameters: [] } }));
    expect(fieldsOf(body)).to.deep.equal({ ...addresses, ContentSid: "HX1" });
  });

  it("gets text and media without such a template", async () => {
    const bodies = [];
    for (const message of [
      aMessage(),
      aMessage({ template: { ...template, providerBId: null } }),
      aMessage({ text: "Mira", media: paper }),
      aMessage({ text: "", media: picture }),
      aMessage({ text: "Escucha", media: voice }),
    ]) {
      bodies.push(fieldsOf((await stage.askedFor(message)).body));
    }
    expect(bodies).to.deep.equal([
      { ...addresses, Body: 'Hola Ana, ñandú "2" & más' },
      { ...addresses, Body: 'Hola Ana, ñandú "2" & más' },
      { ...addresses, Body: "Mira", MediaUrl: paper.link },
      { ...addresses, MediaUrl: picture.link },
      { ...addresses, Body: `Escucha\n\n${voice.link}` },
    ]);
  });

  it("gets a callback URL for statuses if it can reach this service", async () => {
    const asked = async (root: string, baseUrl: string) => {
      const { body } = await stage.askedFor(aMessage(), { connect: connectAt(root, baseUrl) });
      return fieldsOf(body).StatusCallback;
    };
    expect(await asked("https://recado.test/api", host)).to.equal(
      `https://recado.test/api/webhooks/provider-b?ref=${reference}`,
    );
    const own = [
      "http://127.0.0.1:3000",
      "http://localhost:3000",
      "https://10.0.0.1",
      "http://[::1]:3000",
      "https://recado",
    ];
    for (const root of [...own, ""]) expect(await asked(root, host), root).to.equal(undefined);
  });

  it("gets a private callback URL if it is in a private network itself", async () => {
    const client = new HttpClient();
    let asked: unknown;
    nock("http://127.0.0.1:3900")
      .post(/Messages/)
      .reply(201, (_uri, body) => {
        asked = fieldsOf(body).StatusCallback;
        return { sid: "SM1" };
      });
    await connectAt(
      "http://localhost:3000",
      "http://127.0.0.1:3900",
    )(client).send(senderOn(providerBChannel), aMessage());
    await client.close();
    expect(asked).to.equal(`http://localhost:3000/webhooks/provider-b?ref=${reference}`);
  });

  it("accepts a message with its own id", async () => {
    expect(await stage.outcomeOf(201, { sid: "SM1", status: "queued", error_code: null })).to.deep.equal({
      kind: "accepted",
      platformMessageId: "SM1",
    });
  });

  const classes: Record<Exclude<RefusalClass, "wait-recipient">, number[]> = {
    "wait-sender": [20429, 14107, 21611, 30001, 63012, 63018],
    stop: [
      ...[20003, 20004, 20005, 20006, 20008, 20403, 20404, 30002, 63020, 63038, 21212, 21603, 21606, 21660],
      ...[63007, 21609, 21654, 21655, 63027, 63028, 63030, 63040],
    ],
    "stop-template": [63041, 63042],
    final: [
      ...[21211, 21408, 21604, 21612, 21614, 21617, 21619, 21620, 21656, 63003, 63013, 63015, 63016, 63019],
      ...[63021, 63024, 63032, 99999],
    ],
    "opted-out": [21610, 63033],
    later: [63049],
  };
  for (const [cls, codes] of Object.entries(classes)) {
    for (const code of codes) {
      it(`refuses a message as ${cls} by code ${code}`, async () => {
        expect(await stage.outcomeOf(400, { code, message: "No", more_info: "x", status: 400 })).to.deep.equal({
          kind: "refused",
          refusal: { class: cls, code, reason: "No" },
        });
      });
    }
  }

  it("is interpreted by its code, or by its status if the code is unknown", async () => {
    expect(await stage.classOf(401, { code: 20429, message: "No", status: 401 })).to.equal("wait-sender");
    expect(await stage.classOf(500, { code: 21211, message: "No", status: 500 })).to.equal("final");
    expect(await stage.classOf(429, { code: 55555, message: "No", status: 429 })).to.equal("wait-sender");
  });

  it("refuses with the time to wait, and a reason without tokens and numbers", async () => {
    const body = { code: 20429, message: "EAAsecret to whatsapp:+59170000001", status: 429 };
    expect(await stage.outcomeOf(429, body, { "Retry-After": "2" })).to.deep.equal({
      kind: "refused",
      refusal: { class: "wait-sender", code: 20429, reason: "*** to whatsapp:***", retryAfterMs: 2_000 },
    });
  });

  stage.provesNothing({
    "a 201 without an id": [201, { status: "queued" }],
    "a gateway's 400 with a code": [400, { code: 400, message: "Bad Request", status: 400 }],
    "a code that is a text": [400, { code: "21211", message: "No", status: 400 }],
    "a code without a status": [400, { code: 21211, message: "No" }],
    "an unknown code of a 500": [500, { code: 20500, message: "Internal", status: 500 }],
    "an id with an error status": [502, { sid: "SM1" }],
  });
});
