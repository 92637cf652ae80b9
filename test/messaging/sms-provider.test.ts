import { expect } from "chai";
import { smsProvider } from "../../src/channels/sms/sms.ts";
import { smsChannel } from "../../src/kernel/channels.ts";
import { aMessage, host, picture, Stage, senderOn, template, timeouts } from "./channel-support.ts";

describe("the SMS provider", () => {
  const stage = Stage.use({
    connect: (client) => smsProvider({ client, baseUrl: `${host}/sms/`, timeouts }),
    sender: senderOn(smsChannel, { accessToken: "" }),
    path: "/sms/messages",
  });
  const { to, text, reference } = aMessage();

  it("gets exactly this request", async () => {
    const { body, headers } = await stage.askedFor(aMessage());
    expect(body).to.deep.equal({ to, text, reference });
    expect(headers).to.not.have.property("authorization");
  });

  it("gets the user and password of its URL as basic authentication", async () => {
    const { headers } = await stage.askedFor(aMessage(), {
      connect: (client) => smsProvider({ client, baseUrl: "https://user:pa%20ss@platform.test/sms", timeouts }),
    });
    expect(headers.authorization).to.equal(`Basic ${Buffer.from("user:pa ss").toString("base64")}`);
  });

  it("gets a template's text, and media as a link below it", async () => {
    const { body } = await stage.askedFor(aMessage({ template, media: picture }));
    expect(body).to.deep.equal({ to, text: `${text}\n\n${picture.link}`, reference });
  });

  it("accepts a message with its own id", async () => {
    expect(await stage.outcomeOf(201, { id: "SM1" })).to.deep.equal({ kind: "accepted", platformMessageId: "SM1" });
  });

  it("refuses with its own text, without numbers", async () => {
    expect(await stage.outcomeOf(400, { code: 21211, message: "59170000001 is\nno number" })).to.deep.equal({
      kind: "refused",
      refusal: { class: "final", code: 21211, reason: "*** is no number" },
    });
  });

  stage.provesNothing({
    "a 201 without an id": [201, { id: "" }],
    "an id with an error": [502, { id: "SM1" }],
    "a code without words": [400, { code: 1 }],
    "a code that is no number": [400, { code: "1", message: "no" }],
    "a code that is too large to store": [400, { code: 2 ** 40, message: "no" }],
    "an error of its own": [500, { code: 1, message: "no" }],
  });
});
