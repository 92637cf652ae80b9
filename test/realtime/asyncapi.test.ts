import { Parser } from "@asyncapi/parser";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "chai";
import { asyncApi } from "../../src/bootstrap/documents.ts";
import { inboxEvents } from "../../src/inbox/adapters/realtime/inbox-events.ts";
import type { ChatView, InboxEvents, MessageView } from "../../src/inbox/application/events.ts";
import type { Reply } from "../../src/infra/http/routing/route.ts";
import { HandshakeRefused } from "../../src/infra/realtime/refusals.ts";
import { onTheWire, ready, resync, type WireEvent } from "../../src/infra/realtime/wire.ts";
import { campaignEvents } from "../../src/messaging/adapters/realtime/campaign-events.ts";
import { fitting } from "../../src/orders/adapters/realtime/pusher-channel.ts";
import { orderEvents } from "../../src/orders/adapters/wire/order-wire.ts";
import { servedRoutes } from "../http/routes.ts";
import { silent } from "./support.ts";

type Json = Readonly<Record<string, unknown>>;

const document = JSON.parse(JSON.stringify(asyncApi())) as {
  readonly channels: Readonly<
    Record<string, { readonly messages: Readonly<Record<string, { readonly $ref: string }>> }>
  >;
  readonly operations: Readonly<
    Record<string, { readonly action: string; readonly channel: { readonly $ref: string } }>
  >;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly name: string; readonly payload: { readonly $ref: string } }>>;
    readonly schemas: Readonly<Record<string, Json>>;
  };
};

/** The same schema, but it allows no additional fields at any depth. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, closed(value)]));
  return "properties" in schema && "type" in schema ? { ...inner, additionalProperties: false } : inner;
}

const ajv = new Ajv2020({ strict: false, formats: { "date-time": (at) => !Number.isNaN(Date.parse(at)) } });
const components = { schemas: closed(document.components.schemas) };

function validatorOf(channel: string, event: string): ValidateFunction {
  const keys = Object.keys(document.channels[channel]?.messages ?? {});
  const messages = keys.map((key) => document.components.messages[key]);
  const message = messages.find((each) => each?.name === event);
  if (!message) throw new Error(`${channel} has no ${event}`);
  return ajv.compile({ ...message.payload, components });
}

function expectDescribed({ name, payload }: WireEvent, channel = "realtime"): void {
  const isDescribed = validatorOf(channel, name);
  isDescribed(JSON.parse(JSON.stringify(payload)));
  expect(isDescribed.errors ?? [], `${name}: ${JSON.stringify(payload)}`).to.deep.equal([]);
}

const at = "2026-03-01T12:00:00.123456+00:00";
const named = { id: 3, name: "Ventas" };
const audience = { agentId: null, departmentId: 3 };
const contact = { id: 1, name: "Ana", phone: "59170000001", platformId: "59170000001" };
const message: MessageView = {
  id: 9,
  direction: "in",
  kind: "image",
  body: "Hola",
  mediaUrl: null,
  author: "contact",
  authorName: "Ana",
  state: "received",
  occurredAt: at,
  platformMessageId: "wamid.1",
  attachment: { url: null, kind: "image", name: "foto.jpg", bytes: 10 },
  details: { forwarded: true },
  replyToId: null,
  internal: false,
  reactions: [{ author: "Ana", emoji: "👍" }],
  errorCode: null,
  errorReason: null,
};
const row: ChatView = {
  chatId: 5,
  contact,
  provider: "platform-apicloud",
  supportUserId: null,
  adId: null,
  conversationId: 6,
  state: "closed",
  botAvailable: true,
  lastMessageAt: at,
  lastMessage: { id: 9, direction: "out", kind: "text", preview: "Hola", authorName: "Ada" },
  unread: 2,
  windowed: true,
  windowUntil: at,
  tags: [named],
  ticket: { id: 8, state: "in_progress", step: named, department: named },
  version: 4,
};
const bare: ChatView = {
  ...row,
  conversationId: null,
  lastMessageAt: null,
  lastMessage: null,
  windowUntil: null,
  tags: [],
  ticket: null,
};
const ticket = {
  chatId: 5,
  audience,
  ticketId: 8,
  state: "pending",
  conversationId: 6,
  step: named,
  department: null,
  agent: named,
} as const;

/** At least one event of each kind. Some kinds have two events: one with optional fields, one without them. */
const ofInbox: { readonly [Name in keyof InboxEvents]?: readonly InboxEvents[Name][] } = {
  "message:new": [
    { chatId: 5, audience, conversationId: 6, contact, message },
    {
      chatId: 5,
      audience,
      conversationId: 6,
      contact,
      message: { ...message, attachment: null, details: null, replyToId: 2, reactions: [], errorReason: "no" },
    },
  ],
  "message:status": [
    {
      chatId: 5,
      audience,
      conversationId: 6,
      conversationState: "in_progress",
      messageId: 9,
      state: "failed",
      errorCode: 131026,
      errorReason: null,
    },
  ],
  "message:changed": [{ chatId: 5, audience, conversationId: 6, message }],
  "inbox:reorder": [
    { ...row, audience, was: null },
    { ...bare, audience, was: audience },
  ],
  "chat:changed": [{ ...row, audience, was: null }],
  "ticket:new": [
    { ...ticket, createdAt: at, provider: "qr", conversationState: "pending", contact },
    { ...ticket, department: named, createdAt: at, provider: "qr", conversationState: "bot", contact },
  ],
  "agent:changed": [{ id: 3, name: "Ana", available: true, departmentIds: [3], openTickets: 2, isAgent: true }],
  "contact:changed": [
    {
      contact: { ...contact, optedOut: false, fields: { talla: "M" }, tags: [named], createdAt: at },
      erased: false,
    },
  ],
  "ticket:changed": [
    { ...ticket, closedAt: null },
    { ...ticket, agent: null, closedAt: at },
  ],
};

const instant = "2026-03-01T12:00:00.000Z";
const order = {
  id: 1,
  version: 3,
  businessId: 1,
  status: 8,
  type: "app",
  shipmentMethod: "delivery",
  paymentMethod: null,
  locationLabel: "Casa",
  rawAddress: null,
  paid: false,
  scheduledAt: null,
  latitude: -16.5,
  longitude: -68.1,
  cancelReason: null,
  createdAt: instant,
  updatedAt: instant,
  branch: named,
  zone: { id: 2, price: "5.00", branch: null },
  chat: { id: 5, contact, supportUserId: null, lastMessageAt: instant },
  driver: { id: 4, name: "Leo", phone: null },
  lines: [
    {
      id: 7,
      quantity: 2,
      type: "item",
      retailerId: null,
      article: { id: 1, name: "Pan", price: "4.00" },
      extras: [{ id: 1, extra: { id: 2, name: "Queso", charge: "1.00" } }],
    },
  ],
  total: 15,
  discount: 0,
  speedyPrice: null,
} as unknown as Parameters<(typeof orderEvents)["order:changed"]>[0];
const orders = [order, { ...order, branch: null, zone: null, chat: null, driver: null, lines: [], speedyPrice: 4 }];

const campaign = {
  campaignId: 1,
  name: "Promo",
  state: "paused",
  pauseReason: "131056: (#131056)",
  total: 3,
  counts: { queued: 2, sent: 1 },
} as const;

/** All events for sockets, with their payloads. */
const emitted = [
  ...Object.entries(inboxEvents).flatMap(([name, toWire]) =>
    (ofInbox[name as keyof InboxEvents] ?? []).map((payload) => ({ name, toWire: toWire as ToWire, payload })),
  ),
  ...orders.map((payload) => ({ name: "order:changed", toWire: orderEvents["order:changed"] as ToWire, payload })),
  { name: "campaign:progress", toWire: campaignEvents["campaign:progress"] as ToWire, payload: campaign },
];
type ToWire = (payload: never) => object;

const wired = emitted.map(({ name, toWire, payload }) => {
  const event = { name, payload, businessId: 1, number: 12, at: new Date(instant) };
  return onTheWire(() => toWire(payload as never), silent)(event) as WireEvent;
});

describe("the AsyncAPI document", () => {
  it("is valid AsyncAPI 3.0, without a warning", async () => {
    const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document));
    const complaints = diagnostics.map(({ code, message, path }) => `${code} ${path.join(".")}: ${message}`);
    // The hint that AsyncAPI 3.1 exists is allowed.
    expect(complaints.filter((each) => !each.startsWith("asyncapi-latest-version"))).to.deep.equal([]);
    expect(parsed?.version()).to.equal("3.0.0");
  });

  it("is served", async () => {
    const route = servedRoutes().find(({ path }) => path === "/asyncapi.json");
    const reply = (await route?.handle({ headers: {} } as never)) as Reply;
    expect(JSON.parse(String(reply.body))).to.deep.equal(document);
  });

  for (const event of wired) {
    it(`describes exactly the fields of ${event.name}`, () => {
      expectDescribed(event);
    });
  }

  it("has every event, in its direction", () => {
    const names = [...Object.keys(inboxEvents), ...Object.keys(orderEvents), ...Object.keys(campaignEvents)];
    expect(wired.map(({ name }) => name)).to.include.members(names);
    const directions = Object.entries(document.operations).map(([key, { action, channel }]) => {
      return `${channel.$ref.split("/").at(-1)} ${action} ${document.components.messages[key]?.name}`;
    });
    const sent = [...names, "ready", "resync", "access:ended", "chat:gone", "chat:typing", "chat:viewing"];
    expect(directions).to.include.members(sent.map((name) => `realtime send ${name}`));
    expect(directions).to.include.members(["connect", "typing", "viewing"].map((name) => `realtime receive ${name}`));
  });

  it("describes the gateway's own events", () => {
    expectDescribed(ready(3));
    expectDescribed(resync(0));
    for (const why of ["token", "key", "since", "connections", "namespace"] as const) {
      const { message, data } = new HandshakeRefused(why);
      expectDescribed({ name: "connect_error", payload: { message, data } });
    }
  });

  it("describes how clients connect", () => {
    const isGood = validatorOf("realtime", "connect");
    for (const auth of [{ token: "t" }, { key: "k", since: 3 }, { token: "t", since: null }]) {
      expect(isGood(auth), JSON.stringify(auth)).to.equal(true);
    }
    for (const auth of [{}, { since: 3 }, { token: 1 }]) expect(isGood(auth), JSON.stringify(auth)).to.equal(false);
  });

  it("describes orders on the Pusher-protocol channel, complete and shortened", () => {
    const { payload } = wired.find(({ name }) => name === "order:changed") as WireEvent;
    expectDescribed({ name: "order:changed", payload }, "pusher");
    const cut = JSON.parse(fitting({ ...payload, raw_adress: "a".repeat(2_000) }, 1_500));
    expect(cut.truncado).to.equal(true);
    expectDescribed({ name: "order:changed", payload: cut }, "pusher");
  });
});
