import type { MessageFixture, ThreadFixture, UserFixture } from "../fixtures/businesses/business.ts";
import { dayMs, minuteMs } from "../kernel/instants.ts";
import type { Random } from "../sandbox/core/random.ts";
import { demoAdId } from "./ads.ts";
import { fullName } from "./people.ts";

const questions = [
  "Buenas, ¿tienen delivery hasta Sopocachi?",
  "¿Cuánto cuesta la silpancho familiar?",
  "Quisiera hacer un pedido para las 12:30",
  "¿Aceptan pago con QR?",
  "Mi pedido llegó frío :(",
  "¡Gracias, estuvo riquísimo!",
] as const;
const answers = [
  "¡Hola! Sí, llegamos a toda la zona central.",
  "Con gusto, te paso el menú.",
  "Tu pedido queda registrado.",
  "Sí, te envío el código QR en un momento.",
  "Lo sentimos mucho, lo revisamos ahora mismo.",
] as const;

interface ThreadPlan {
  readonly id: number;
  readonly users: readonly UserFixture[];
  readonly now: Date;
  readonly random: Random;
}

export function thread(base: number, index: number, { id, users, now, random }: ThreadPlan): ThreadFixture {
  const name = fullName(random);
  const state = random.pick(["bot", "bot", "pending", "in_progress", "in_progress", "closed"]);
  const agent = random.pick(users.slice(1, 3));
  const attended = state === "in_progress" || state === "closed";
  let at = now.getTime() - random.between(1, 90) * dayMs + random.between(0, 600) * minuteMs;
  const messages = Array.from({ length: random.between(1, 7) }, (_, turn): MessageFixture => {
    at = Math.min(at + random.between(1, 40) * minuteMs, now.getTime() - minuteMs);
    const common = { at: new Date(at) };
    if (turn % 2 === 0) {
      const body = random.pick(questions);
      return { ...common, direction: "in", body, author: "contact", authorName: name, state: "received" };
    }
    const body = random.pick(answers);
    const author = attended ? "user" : "bot";
    const authorName = attended ? agent.name : "Bot";
    return { ...common, direction: "out", body, author, authorName, state: random.pick(["read", "delivered", "sent"]) };
  });
  return {
    contactId: base + index + 1,
    chatId: base + index + 1,
    name,
    phone: `591${70_000_000 + id * 100_000 - 100_000 + index + 1}`,
    state,
    supportUserId: attended ? agent.id : null,
    departmentId: state === "bot" ? null : base + 1 + (index % 2),
    unread: 0,
    ...describedBy(base, index),
    adId: random.chance(0.25) ? demoAdId(id, random.between(1, 6)) : null,
    messages,
  };
}

/** Two of three customers have custom fields and tags. */
function describedBy(base: number, index: number): Pick<ThreadFixture, "fields" | "tagIds"> {
  if (index % 3 === 2) return {};
  const zone = zones[index % zones.length] ?? "";
  const birthday = `${String(1 + (index % 28)).padStart(2, "0")}/${String(1 + (index % 12)).padStart(2, "0")}`;
  return {
    fields: {
      ciudad: "La Paz",
      zona: zone,
      ...(index % 2 === 0 ? { cumpleanos: birthday } : { nit: `${4_800_000 + index}` }),
    },
    tagIds: [base + 1 + (index % 4), ...(index % 5 === 0 && index % 4 !== 3 ? [base + 4] : [])],
  };
}

const zones = ["Sopocachi", "Miraflores", "San Miguel", "Obrajes", "Achumani", "Villa Fátima", "San Pedro"] as const;

/** Adds a message to each thread that has orders: the customer asks for the last of these orders. */
export function withOrderRequests(
  threads: readonly ThreadFixture[],
  orders: readonly { readonly chatId: number; readonly createdAt: Date }[],
): ThreadFixture[] {
  const madeAt = new Map(orders.map(({ chatId, createdAt }) => [chatId, createdAt.getTime()]));
  return threads.map((thread) => {
    const at = madeAt.get(thread.chatId);
    if (at === undefined) return thread;
    const messages = [...thread.messages, asking(thread, at - 2 * minuteMs)];
    // Some of these messages are still unread.
    const unread = thread.chatId % 3 === 0 ? 1 : 0;
    return { ...thread, unread, messages: messages.sort((a, b) => a.at.getTime() - b.at.getTime()) };
  });
}

const asking = ({ name }: ThreadFixture, at: number): MessageFixture => ({
  direction: "in",
  body: "Quisiera hacer un pedido, por favor",
  author: "contact",
  authorName: name,
  state: "received",
  at: new Date(at),
});
