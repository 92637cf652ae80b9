import { PostgresOutgoingMessages } from "../../src/inbox/adapters/postgres/sends/outgoing-messages.ts";
import { oneCell } from "../../src/infra/postgres/cells.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { PostgresSendContexts } from "../../src/messaging/adapters/postgres/sends/send-contexts.ts";
import { aBusiness, aTemplate, aThread } from "../support/world.ts";
import { type BareHandler, statementsOf } from "./bare.ts";
import type { Bench } from "./bench.ts";
import { belowAim, type ContestResult, contest, contestTable } from "./contest.ts";
import type { Shot } from "./load.ts";

const businesses = 16;
/** Existing conversations per business; 2,000 in all. */
const knownNumbers = 125;
const aim = 0.6;
const right = JSON.stringify({ success: true });

const knownNumber = (n: number): string => `591${70_000_000 + (n % knownNumbers)}`;
const templateOf = (businessId: number): number => businessId * 100 + 1;

/** New contacts get ids from 1. These existing contacts have much larger ids, so that no id comes twice. */
const threads = Array.from({ length: knownNumbers }, (_, n) => aThread(1_000_000 + n, { phone: knownNumber(n) }));
const all = Array.from({ length: businesses }, (_, n) =>
  aBusiness(n + 1, { templates: [aTemplate(templateOf(n + 1))], threads }),
);

/**
 * §2 Send a template. Events of a business are numbered without gaps, so its sends commit one after the other. Sends
 * of many businesses show the cost of a send. Sends of one business show the duration of a commit.
 */
const bench: Bench = {
  about: "POST /chats/enviar/plantilla/business against the same statements and the same platform call",
  run: async (arena) => {
    const stage = await arena.stage({ businesses: all });
    const tokens = Object.fromEntries(all.map(({ id, sender }) => [id, sender.token]));
    const { service, bare, stop } = await stage.contestants("send-template", { tokens });
    let shots = 0;
    const shot = (businessId: number, phone: string): Shot => ({
      path: "/chats/enviar/plantilla/business",
      headers: { "x-api-key": stage.appKey(businessId) },
      body: JSON.stringify({
        empresa_id: businessId,
        phone_number: phone,
        plantilla_id: templateOf(businessId),
        parameters: ["Carla", String(shots)],
      }),
    });
    const anyBusiness = (): number => 1 + (shots % businesses);
    const variants = {
      "known numbers, 16 businesses": () => shot(anyBusiness(), knownNumber(shots++)),
      "new numbers, 16 businesses": () => shot(anyBusiness(), `592${10_000_000 + shots++}`),
      "known numbers, one business": () => shot(1, knownNumber(shots++)),
    };

    const results: Record<string, ContestResult> = {};
    for (const [name, next] of Object.entries(variants)) {
      arena.say(`sending to ${name}`);
      const isRight = (status: number, text: string) => status === 200 && text === right;
      results[name] = await contest({ name, service, bare, next, isRight });
    }
    const { accepted, duplicates } = await stage.control<Counts>("GET", "/messages/count");
    await stop();

    const entries = Object.entries(results);
    const answered = entries.reduce((sum, [, result]) => sum + result.answered, 0);
    const isExact = accepted === answered && duplicates === 0;
    return {
      tables: [contestTable("Send a template (endpoint 2), 16 connections", results)],
      figures: { ...results, accepted, answered, duplicates },
      failures: [
        ...entries.flatMap(([, { failures }]) => failures),
        ...(isExact ? [] : [`${answered} answered 200, ${accepted} accepted, ${duplicates} of them twice`]),
      ],
      belowAim: entries.flatMap(([name, result]) => belowAim(`send to ${name}`, result, aim)),
    };
  },
};
export default bench;

interface Counts {
  readonly accepted: number;
  readonly duplicates: number;
}

interface ContextRow {
  readonly businessName: string;
  readonly sender_platform_id: string;
  readonly platformName: string;
  readonly structure: { readonly language: string; readonly components: readonly { readonly text: string }[] };
}

export const bare: BareHandler = async ({ query, platform }) => {
  const named = { templateId: 1, phone: "", userId: null, heldTo: null };
  const catalog = await statementsOf((queries) =>
    new PostgresSendContexts(oneCell(queries), { open: () => "", seal: () => Buffer.alloc(0) }).toNumber(1, named),
  );
  const outbox = await statementsOf(async (queries) => {
    const messages = new PostgresOutgoingMessages(
      oneCell(queries),
      60,
      (phone) => Buffer.from(phone),
      () => {},
    );
    const message = { businessId: 1, to: "", content: { text: "" } };
    const author = { kind: "business", name: "", userId: null } as const;
    await messages.open({ ...message, thread: { phone: "", contactName: "" }, author }, cloudChannel);
    const opened = { ...message, id: 1, chatId: 1, attempt: 1, reference: "", channel: cloudChannel };
    await messages.settle(opened, { kind: "unknown", reason: "" });
  });
  const [sendContext, open, settle] = [...catalog, ...outbox];
  if (!sendContext || !open || !settle) throw new Error("the adapters run other statements than expected");

  return async (text) => {
    const { empresa_id: id, phone_number: phone, plantilla_id: template, parameters } = JSON.parse(text);
    const [context] = await query<ContextRow>(sendContext, [id, template, null, null, phone]);
    if (!context) throw new Error("no such template");
    const { language, components } = context.structure;
    const body = `${components.at(-1)?.text}`.replaceAll(/\{\{(\d)\}\}/g, (_, n) => parameters[n - 1]);
    const author = context.businessName;
    const message = [id, "template", body, null, "business", author, null, template, null, null, false, 60];
    const values = [...message, cloudChannel, phone, phone];
    const [entry] = await query<{ id: number; attempt: number; reference: string }>(open, values);
    if (!entry) throw new Error("no message");
    const answer = await platform(
      id,
      "POST",
      `/v23.0/${context.sender_platform_id}/messages`,
      JSON.stringify({
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to: phone,
        type: "template",
        biz_opaque_callback_data: entry.reference,
        template: {
          name: context.platformName,
          language: { code: language },
          components: [{ type: "body", parameters: parameters.map((text: string) => ({ type: "text", text })) }],
        },
      }),
    );
    const { messages } = JSON.parse(answer);
    await query(settle, [id, entry.id, entry.attempt, "sent", messages[0].id, null, null]);
    return right;
  };
};
