import { expect } from "chai";
import nock from "nock";
import { pageMessages } from "../../src/channels/pages/send.ts";
import { pageChannel, photoChannel } from "../../src/kernel/channels.ts";
import type { RefusalClass } from "../../src/messaging/domain/platform.ts";
import {
  aMessage,
  clip,
  host,
  paper,
  picture,
  Stage,
  senderOn,
  template,
  timeouts,
  version,
} from "./channel-support.ts";

describe("page messages", () => {
  const stage = Stage.use({
    connect: (client) => pageMessages({ client, baseUrl: `${host}/`, timeouts, version }),
    sender: senderOn(pageChannel),
    path: "/v23.0/1055/messages",
  });

  const contentFor = async (...message: Parameters<typeof aMessage>): Promise<unknown> =>
    ((await stage.askedFor(aMessage(...message))).body as { message: unknown }).message;

  it("are sent in exactly this request", async () => {
    const { headers, body } = await stage.askedFor(aMessage({ to: "24601", template }));
    expect(headers).to.include({
      authorization: "Bearer EAAsecret",
      "content-type": "application/json",
      accept: "application/json",
    });
    expect(body).to.deep.equal({
      recipient: { id: "24601" },
      messaging_type: "UPDATE",
      message: { text: 'Hola Ana, ñandú "2" & más', metadata: "5ac7f2f8-6f5b-4c43-9a56-3a1a4f3d3d3a" },
    });
  });

  it("have no reference in direct messages, which do not support it", async () => {
    const { body } = await stage.askedFor(aMessage(), { sender: senderOn(photoChannel) });
    expect(body).to.have.deep.property("message", { text: 'Hola Ana, ñandú "2" & más' });
  });

  it("name the quoted message", async () => {
    for (const channel of [pageChannel, photoChannel] as const) {
      const { body } = await stage.askedFor(aMessage({ replyTo: "m_before" }), { sender: senderOn(channel) });
      expect(body).to.have.deep.property("reply_to", { mid: "m_before" });
    }
  });

  it("use another version of the path, with the page's id escaped", async () => {
    const { body } = await stage.askedFor(aMessage(), {
      connect: (client) => pageMessages({ client, baseUrl: host, timeouts, version: "v9.9" }),
      sender: senderOn(pageChannel, { platformId: "a/b?c" }),
      path: "/v9.9/a%2Fb%3Fc/messages",
    });
    expect(body).to.have.property("recipient");
  });

  it("have the link of media below the text, as a message cannot have both", async () => {
    expect(await contentFor({ text: "Mira", media: picture })).to.deep.include({
      text: "Mira\n\nhttps://files.test/a.jpg",
    });
  });

  it("have media without a text as an attachment", async () => {
    const types = [];
    for (const media of [picture, clip, paper]) {
      const content = (await contentFor({ text: "", media })) as { attachment: { type: string; payload: object } };
      expect(content).to.have.all.keys("attachment", "metadata");
      expect(content.attachment.payload).to.deep.equal({ url: media.link });
      types.push(content.attachment.type);
    }
    expect(types).to.deep.equal(["image", "video", "file"]);
  });

  it("include a read receipt, which never rejects", async () => {
    const asked: unknown[] = [];
    for (const [channel, status] of [
      [pageChannel, 200],
      [photoChannel, 500],
    ] as const) {
      nock(host)
        .post("/v23.0/1055/messages", (body) => asked.push(body) > 0)
        .reply(status, "{}");
      await stage.connected().markRead?.(senderOn(channel), { platformMessageId: "m_theirs", customer: "24601" });
    }
    expect(asked).to.deep.equal(Array(2).fill({ recipient: { id: "24601" }, sender_action: "mark_seen" }));
  });

  it("are accepted with the platform's ids", async () => {
    expect(await stage.outcomeOf(200, { recipient_id: "24601", message_id: "m_1" })).to.deep.equal({
      kind: "accepted",
      platformMessageId: "m_1",
      recipientId: "24601",
    });
    expect(await stage.outcomeOf(200, { message_id: "m_2" })).to.deep.equal({
      kind: "accepted",
      platformMessageId: "m_2",
    });
  });

  const classes: Record<Exclude<RefusalClass, "stop-template" | "opted-out" | "later">, (number | string)[]> = {
    "wait-sender": [4, 17, 32, 613, 80002, 80006],
    "wait-recipient": [1, 2, 1200, "1/99"],
    stop: [190, 0, 3, 10, 33, "100/33", 200, 230, 299, 368],
    final: [100, "100/2018001", 551, "10/2018065", "10/2018108", "10/2018278", "10/2534022", "200/1545041", 987654],
  };
  for (const [cls, codes] of Object.entries(classes)) {
    for (const written of codes) {
      it(`are refused as ${cls} by code ${written}`, async () => {
        const [code, subcode] = String(written).split("/").map(Number);
        const error = { message: "No", code, ...(subcode && { error_subcode: subcode }) };
        expect(await stage.outcomeOf(400, { error })).to.deep.equal({
          kind: "refused",
          refusal: { class: cls, code, reason: "No" },
        });
      });
    }
  }

  it("are refused according to the code, or to the status if the code is unknown", async () => {
    expect(await stage.classOf(500, { error: { message: "No", code: 190 } })).to.equal("stop");
    expect(await stage.classOf(200, { error: { message: "No", code: 551 } })).to.equal("final");
    expect(await stage.classOf(429, { error: { message: "No", code: 555555 } })).to.equal("wait-sender");
  });

  it("are refused with the time to wait, and a reason without tokens and ids", async () => {
    const error = { message: "Calls of EAAsecret to 24601246012460 exceeded", code: 613 };
    expect(await stage.outcomeOf(400, { error }, { "Retry-After": "9" })).to.deep.equal({
      kind: "refused",
      refusal: { class: "wait-sender", code: 613, reason: "Calls of *** to *** exceeded", retryAfterMs: 9_000 },
    });
  });

  stage.provesNothing({
    "the error that comes for messages which went out": [
      500,
      { error: { message: "Received invalid JSON reply", code: 1, error_subcode: 1357046 } },
    ],
    "a 200 without an id": [200, { recipient_id: "24601" }],
    "a 200 with an empty id": [200, { recipient_id: "24601", message_id: "" }],
    "an unknown code of a 500": [500, { error: { message: "No", code: 555555 } }],
    "an id with an error status": [502, { recipient_id: "24601", message_id: "m_1" }],
  });
});
