import { createHmac } from "node:crypto";

import { formIn, signaturesOf } from "../../src/channels/provider-b/form.ts";
import { instanceBearer } from "../../src/channels/qr/instance-proof.ts";
import { Secrets } from "../../src/infra/crypto/secrets.ts";
import type { CustomerChannel } from "../../src/sandbox/core/route.ts";
import { addressesOf, channelNames, tokenOf } from "../support/channels.ts";
import { appSecret, aWebhook, masterSecret } from "../support/world.ts";
import type { Shot } from "./load.ts";

export const businessId = 1;
export const addresses = addressesOf(businessId);
export const providerBToken = tokenOf(businessId, "provider-b");
/** Used in ProviderB's signatures; no server listens there. */
export const publicUrl = "https://recado.test";
export const secrets = new Secrets(masterSecret);
/** Per channel. */
const customers = 500;

type Headers = Readonly<Record<string, string>>;

/** Webhooks with messages of customers on all channels in turn, in the platforms' formats. */
export class ChannelWebhooks {
  /** The number of webhooks so far. */
  count = 0;
  private readonly bearer: string;

  /** @param phoneId - the id of the QR channel's sender */
  constructor(phoneId: number) {
    const instance = { businessId, senderId: phoneId, platformId: addresses.qr };
    this.bearer = `Bearer ${instanceBearer(secrets, instance)}`;
  }

  readonly next = (): Shot => {
    this.count += 1;
    const channel = channelNames[this.count % channelNames.length] ?? "cloud";
    const customer = `5917${String(1_000_000 + (Math.floor(this.count / channelNames.length) % customers))}`;
    const told = saying[channel](customer, this.count);
    if (channel === "provider-b") return providerBShot(told as Record<string, string>);
    const body = JSON.stringify(told);
    const path = channel === "qr" ? `/webhooks/qr/${addresses.qr}` : `/webhooks/${channel}`;
    const proof: Headers = channel === "qr" ? { authorization: this.bearer } : { "x-hub-signature-256": signed(body) };
    return { path, headers: { "content-type": "application/json", ...proof }, body };
  };
}

const signed = (body: string): string => `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;

function providerBShot(fields: Readonly<Record<string, string>>): Shot {
  const path = "/webhooks/provider-b";
  const body = new URLSearchParams(fields).toString();
  const form = formIn(Buffer.from(body));
  const [signature = ""] = form === null ? [] : signaturesOf(providerBToken, `${publicUrl}${path}`, form);
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return { path, headers: { ...type, "x-twilio-signature": signature }, body };
}

const onPage =
  (object: string, id: string) =>
  (customer: string, n: number): object => ({
    object,
    entry: [
      {
        id,
        time: Date.now(),
        messaging: [
          {
            sender: { id: `24${customer}` },
            recipient: { id },
            timestamp: Date.now(),
            message: { mid: `m_${object}_${n}`, text: `Hola, ¿tienen ${n}?` },
          },
        ],
      },
    ],
  });

const saying: Readonly<Record<CustomerChannel, (customer: string, n: number) => object>> = {
  cloud: (from, n) =>
    aWebhook(businessId, {
      contacts: [{ wa_id: from, profile: { name: `Cliente ${from}` } }],
      messages: [
        {
          ...{ from, id: `wamid.${n}`, timestamp: String(Math.floor(Date.now() / 1_000)) },
          ...{ type: "text", text: { body: `Hola, ¿tienen ${n}?` } },
        },
      ],
    }),
  page: onPage("page", addresses.page),
  photo: onPage("instagram", addresses.photo),
  qr: (customer, n) => ({
    event: "messages.upsert",
    instance: addresses.qr,
    data: {
      key: { remoteJid: `${customer}@s.whatsapp.net`, fromMe: false, id: `3EB0${n}` },
      pushName: `Cliente ${customer}`,
      message: { conversation: `Hola, ¿tienen ${n}?` },
      messageType: "conversation",
      messageTimestamp: Math.floor(Date.now() / 1_000),
    },
    date_time: new Date().toISOString(),
  }),
  "provider-b": (customer, n) => ({
    MessageSid: `SM${String(n).padStart(32, "0")}`,
    AccountSid: addresses["provider-b"],
    From: `whatsapp:+${customer}`,
    To: "whatsapp:+591210000013",
    Body: `Hola, ¿tienen ${n}?`,
    ProfileName: `Cliente ${customer}`,
    WaId: customer,
    NumMedia: "0",
    SmsStatus: "received",
    MessageType: "text",
    ApiVersion: "2010-04-01",
  }),
};
