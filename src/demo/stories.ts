import type { MessageFixture, ThreadFixture, UserFixture } from "../fixtures/businesses/business.ts";
import type { Random } from "../sandbox/core/random.ts";
import { type DemoFile, demoFiles } from "./files.ts";

/** The names and files that a story uses. */
interface Setting {
  readonly customer: string;
  readonly agent: UserFixture;
  readonly shop: string;
  readonly dish: string;
  /** Of one, in whole bolivianos. */
  readonly price: number;
  readonly zone: string;
}

/** One message of a story. */
interface Line {
  readonly by: "customer" | "agent" | "bot" | "note" | "template";
  readonly text: string;
  readonly file?: DemoFile;
  readonly place?: { readonly latitude: number; readonly longitude: number; readonly name: string };
  /** How many lines back the message is that it answers. */
  readonly answers?: number;
  readonly reaction?: { readonly by: "customer" | "agent"; readonly emoji: string };
  /** Hours after the one before it. */
  readonly isLater?: boolean;
}

type More = Omit<Line, "by" | "text">;
const customer = (text: string, more: More = {}): Line => ({ by: "customer", text, ...more });
const agent = (text: string, more: More = {}): Line => ({ by: "agent", text, ...more });
const bot = (text: string): Line => ({ by: "bot", text });
const note = (text: string): Line => ({ by: "note", text });
const liked = (emoji: string): More => ({ reaction: { by: "customer", emoji } });

type Scene = (setting: Setting) => readonly Line[];

const first = (name: string): string => name.split(" ")[0] ?? name;

const greeting: Scene = ({ customer: name, agent: { name: agentName }, shop }) => [
  customer("Hola, buenas tardes 👋"),
  bot(
    `¡Hola ${first(name)}! Te damos la bienvenida a ${shop}. Escribe 1 para ver el menú, 2 para hacer un pedido o 3
para hablar con una persona.`.replace("\n", " "),
  ),
  customer("3"),
  bot("Con gusto. En un momento te atiende una persona de nuestro equipo."),
  agent(`¡Hola ${first(name)}! Soy ${first(agentName)}. ¿Qué te preparamos hoy?`),
];

const menu: Scene = ({ dish, price }) => [
  customer("¿Qué tienen hoy?"),
  agent("Este es el menú de la semana 👇", { file: demoFiles.menu, ...liked("😍") }),
  customer("Uy, todo se ve rico", { answers: 1 }),
  agent(`Hoy recomendamos ${dish}: Bs ${price}, recién hecho.`),
  customer("¿Para cuántas personas alcanza?"),
  agent("Para una con hambre o dos con poca 😄", liked("😂")),
];

const order: Scene = ({ dish, price, zone }) => [
  customer(`Entonces quiero dos: ${dish}`),
  agent("¿Con la llajua aparte?"),
  customer("Sí, aparte. Y uno sin cebolla, por favor"),
  agent(
    `Anotado: 2 × ${dish}, uno sin cebolla, llajua aparte. Son Bs ${2 * price}. ¿Te lo llevamos o pasas a recoger?`,
  ),
  customer(`Me lo llevan, estoy en ${zone}`),
  customer("Estoy aquí", { place: { latitude: -16.5107, longitude: -68.1291, name: zone } }),
  agent(`A ${zone} el envío cuesta Bs 12 y tarda unos 40 minutos.`, { answers: 1, ...liked("👍") }),
  customer("Perfecto, gracias"),
];

const payment: Scene = ({ price }) => [
  customer("¿Puedo pagar con QR?"),
  agent("Claro, este es el código. Vence en 24 horas.", { file: demoFiles.qr }),
  customer("Listo, ya pagué", { answers: 1 }),
  customer("", { file: demoFiles.receipt }),
  note(`Pago de Bs ${2 * price + 12} verificado en el banco. Ya puede entrar a cocina.`),
  agent("¡Recibido! Tu pedido ya está en cocina 👩‍🍳", liked("🙏")),
];

const voice: Scene = ({ zone }) => [
  customer("", { file: demoFiles.voice }),
  agent(`Te escuché: lo llevamos a la portería y no al departamento. ¿Sigue siendo en ${zone}?`, { answers: 1 }),
  customer("Sí, edificio azul, portería"),
  note("Cambió la entrega a la portería. Avisado al repartidor por teléfono."),
  agent("Hecho, el repartidor ya lo sabe.", liked("❤️")),
];

const delivery: Scene = () => [
  customer("¿Ya salió mi pedido?"),
  agent("Salió hace cinco minutos, va en moto roja con Marco 🛵"),
  customer("Buenísimo"),
  agent("Te dejo también la factura.", { file: demoFiles.invoice }),
  customer("Gracias, justo la necesitaba", { answers: 1 }),
];

const complaint: Scene = ({ zone, dish, customer: name }) => [
  customer("Hola, mi pedido llegó frío 😞"),
  customer("Y la caja abierta, miren", { file: demoFiles.box }),
  agent(`Lo siento mucho, ${first(name)}. No es lo que queremos que recibas. ¿Me dices a qué hora llegó?`, {
    answers: 1,
  }),
  customer("Hace diez minutos, a las 13:20"),
  note(`Segunda queja esta semana en ${zone}. Reponer hoy sin costo y avisar a cocina y reparto.`),
  agent(`Te lo reponemos hoy mismo sin costo: ${dish}, recién hecho. ¿Te queda bien a las 19:30?`, liked("👍")),
  customer("Sí, a esa hora estoy en casa. Gracias por responder tan rápido"),
  agent("Queda agendado. Te aviso cuando salga.", { answers: 2 }),
];

const wholesale: Scene = ({ dish, price }) => [
  customer("Necesito 40 almuerzos para una reunión el viernes"),
  agent("¡Con gusto! ¿Para qué hora y en qué dirección?"),
  customer("12:30, Edificio Multicentro, piso 8"),
  customer(`La mitad con ${dish} y la otra mitad vegetariana`),
  agent("Aquí va la cotización con los dos menús.", { file: demoFiles.quote }),
  customer("¿Hay descuento por la cantidad?", { answers: 1 }),
  note("Autorizado hasta 8 % por más de 30 unidades (Administración, esta mañana)."),
  agent(`Con 40 unidades te hacemos el 8 %: quedan en Bs ${Math.round(40 * price * 0.92)}, con envío incluido.`),
  customer("Trato hecho 🤝", { answers: 1, reaction: { by: "agent", emoji: "🎉" } }),
  agent("¡Excelente! El jueves te confirmo la hora exacta."),
];

const question: Scene = ({ dish }) => [
  customer("Una consulta: ¿tienen opción sin gluten?"),
  agent(`Sí: la sopa de quinua y ${dish} se pueden preparar sin gluten si nos avisas al pedir.`),
  customer("Qué bueno, mi hermana es celíaca"),
  note("Cliente con familiar celíaco: recordarlo en cada pedido."),
  agent("Lo dejamos anotado en tu ficha para que no tengas que repetirlo 😊", liked("❤️")),
];

const thanks: Scene = ({ customer: name }) => [
  customer("Llegó todo, riquísimo 😋", { file: demoFiles.dish, reaction: { by: "agent", emoji: "❤️" } }),
  agent(`¡Qué alegría, ${first(name)}! Gracias por la foto.`, { answers: 1 }),
  customer("La próxima semana les escribo de nuevo"),
  agent("Aquí estaremos. ¡Buen provecho!", liked("🙏")),
];

const waiting: Scene = ({ dish }) => [
  customer("Hola, ¿hay alguien?"),
  customer(`Quisiera otro pedido como el de la otra vez: ${dish}`),
  customer("", { file: demoFiles.voice }),
];

const plots: readonly (readonly Scene[])[] = [
  [greeting, menu, order, payment, delivery, thanks],
  [greeting, wholesale, payment, voice, delivery, thanks],
  [greeting, complaint, voice, question, order, payment],
  [greeting, question, menu, order, voice, thanks],
];
const shortPlots: readonly (readonly Scene[])[] = [
  [greeting, order, thanks],
  [greeting, menu, payment],
];
const dishes = [
  ["Fricasé paceño", 42],
  ["Silpancho familiar", 48],
  ["Plato paceño", 38],
  ["Sajta de pollo", 40],
  ["Pique macho", 55],
  ["Chairo", 30],
] as const;
const zones = ["Sopocachi", "Miraflores", "San Miguel", "Obrajes", "Achumani", "Villa Fátima"] as const;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const states = ["in_progress", "pending", "in_progress", "closed", "bot", "in_progress"] as const;

/** How many of the threads become long ones, and how many wait for a template since their window is over. */
export const longStories = 18;
export const overdueStories = 8;

interface Place {
  readonly shop: string;
  /** Of its departments the first two. */
  readonly departmentIds: readonly number[];
  readonly users: readonly UserFixture[];
  readonly now: Date;
  readonly random: Random;
}

/**
 * The threads of the demo. Long ones, of today and in every state, replace some of them; some have unread messages. In the
 * last few the service window is over: their customers wrote days ago, and a template or an agent came after them.
 */
export function withStories(
  threads: readonly ThreadFixture[],
  chosen: readonly number[],
  place: Place,
): ThreadFixture[] {
  const numbers = new Map(chosen.map((index, number) => [index, number]));
  return threads.map((thread, index) => {
    const number = numbers.get(index);
    if (number === undefined) return thread;
    return number < longStories ? longStory(thread, number, place) : overdueStory(thread, number, place);
  });
}

function longStory(thread: ThreadFixture, number: number, place: Place): ThreadFixture {
  const { random, departmentIds } = place;
  const state = random.pick([states[number % states.length] ?? "bot"]);
  const scenes = plots[number % plots.length] ?? [];
  const unread = state === "closed" ? 0 : state === "in_progress" ? number % 3 : waitingLines;
  const setting = settingOf(thread, place);
  const lines = linesOf([...scenes, ...(unread > 0 ? [waiting] : [])], setting);
  const told = unread > 0 ? lines.slice(0, lines.length - waitingLines + unread) : lines;
  const end = place.now.getTime() - random.between(4, 14 * 60) * minuteMs;
  return {
    ...thread,
    state,
    supportUserId: state === "in_progress" || state === "closed" ? setting.agent.id : null,
    departmentId: departmentIds[scenes.includes(complaint) ? 1 : 0] ?? null,
    unread,
    messages: timed(told, thread, setting, end, random),
  };
}

const waitingLines = 3;

/** Every other scene is played later the same day. */
const linesOf = (scenes: readonly Scene[], setting: Setting): Line[] =>
  scenes.flatMap((scene, nth) =>
    scene(setting).map((line, index) => ({ ...line, isLater: index === 0 && nth > 0 && nth % 2 === 0 })),
  );

function overdueStory(thread: ThreadFixture, number: number, place: Place): ThreadFixture {
  const { random, now, departmentIds } = place;
  const setting = settingOf(thread, place);
  const lines = linesOf(shortPlots[number % shortPlots.length] ?? [], setting);
  const lastWord = now.getTime() - random.between(30, 70) * hourMs;
  const told = timed(lines, thread, setting, lastWord, random);
  const followUp: Line =
    number % 2 === 0
      ? {
          by: "template",
          text: `Hola ${first(thread.name)}, ¿cómo estuvo tu pedido? Responde a este mensaje y te atendemos.`,
        }
      : agent(`Hola ${first(thread.name)}, te guardamos una porción de ${setting.dish} como pediste.`);
  const sent = now.getTime() - random.between(30, 12 * 60) * minuteMs;
  return {
    ...thread,
    state: "in_progress",
    supportUserId: setting.agent.id,
    departmentId: departmentIds[0] ?? null,
    unread: 0,
    messages: [...told, messageOf(followUp, told.length, thread, setting, new Date(sent))],
  };
}

function settingOf(thread: ThreadFixture, { shop, users, random }: Place): Setting {
  const [dish, price] = random.pick(dishes);
  const agents = users.slice(1, 3);
  return { customer: thread.name, agent: random.pick(agents), shop, dish, price, zone: random.pick(zones) };
}

/** The last message is sent at `end`. Minutes or hours lie between two messages. */
function timed(
  lines: readonly Line[],
  thread: ThreadFixture,
  setting: Setting,
  end: number,
  random: Random,
): MessageFixture[] {
  const gaps = lines.map(({ isLater }) => (isLater ? random.between(2, 16) * 60 : random.between(1, 5)));
  let at = end - gaps.slice(1).reduce((sum, gap) => sum + gap, 0) * minuteMs;
  return lines.map((line, index) => {
    if (index > 0) at += (gaps[index] ?? 1) * minuteMs;
    return messageOf(line, index, thread, setting, new Date(at));
  });
}

function messageOf(
  line: Line,
  index: number,
  thread: ThreadFixture,
  { agent: user, shop }: Setting,
  at: Date,
): MessageFixture {
  const { by, text, file, place, answers, reaction } = line;
  const author = { customer: "contact", agent: "user", note: "user", bot: "bot", template: "business" } as const;
  const names = { customer: thread.name, agent: user.name, note: user.name, bot: "Bot", template: shop };
  const reactor =
    reaction?.by === "customer" ? { from: "contact", author: thread.name } : { from: user.id, author: user.name };
  return {
    direction: by === "customer" ? "in" : "out",
    kind: kindOf(line),
    body: text,
    author: author[by],
    authorName: names[by],
    authorUserId: author[by] === "user" ? user.id : null,
    state: by === "customer" ? "received" : by === "note" ? "sent" : "read",
    internal: by === "note",
    at,
    ...(file && { attachment: { kind: file.kind, name: file.name, bytes: file.content.length }, mediaUrl: file.path }),
    ...(place && { details: { location: place } }),
    ...(answers !== undefined && { answers: index - answers }),
    ...(reaction && { reactions: [{ ...reactor, emoji: reaction.emoji, at }] }),
  };
}

const kindOf = ({ by, file, place }: Line): string => {
  if (by === "note" || by === "template") return by;
  return place ? "location" : (file?.kind ?? "text");
};
