import type { UserFixture } from "../fixtures/businesses/business.ts";
import { type DemoFile, demoFiles } from "./files.ts";

/** The agent, the names and the price that a story uses. */
export interface Setting {
  readonly customer: string;
  readonly agent: UserFixture;
  readonly shop: string;
  readonly dish: string;
  /** The price of one dish, in whole bolivianos. */
  readonly price: number;
  readonly zone: string;
}

/** One message of a story. */
export interface Line {
  readonly by: "customer" | "agent" | "bot" | "note" | "template";
  readonly text: string;
  readonly file?: DemoFile;
  readonly place?: { readonly latitude: number; readonly longitude: number; readonly name: string };
  /** If the line answers an earlier line: how many lines back that line is. */
  readonly answers?: number;
  readonly reaction?: { readonly by: "customer" | "agent"; readonly emoji: string };
  /** Whether the line is hours after the previous one. */
  readonly isLater?: boolean;
}

type More = Omit<Line, "by" | "text">;
const customer = (text: string, more: More = {}): Line => ({ by: "customer", text, ...more });
export const agent = (text: string, more: More = {}): Line => ({ by: "agent", text, ...more });
const bot = (text: string): Line => ({ by: "bot", text });
const note = (text: string): Line => ({ by: "note", text });
const liked = (emoji: string): More => ({ reaction: { by: "customer", emoji } });

export type Scene = (setting: Setting) => readonly Line[];

export const first = (name: string): string => name.split(" ")[0] ?? name;

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

export const complaint: Scene = ({ zone, dish, customer: name }) => [
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

const papers: Scene = () => [
  customer("Les paso la lista para la oficina 📄"),
  customer("", { file: demoFiles.list }),
  agent("Recibida: doce almuerzos para el jueves.", { answers: 1, ...liked("👍") }),
];

const thanks: Scene = ({ customer: name }) => [
  customer("Llegó todo, riquísimo 😋", { file: demoFiles.dish, reaction: { by: "agent", emoji: "❤️" } }),
  agent(`¡Qué alegría, ${first(name)}! Gracias por la foto.`, { answers: 1 }),
  customer("La próxima semana les escribo de nuevo"),
  agent("Aquí estaremos. ¡Buen provecho!", liked("🙏")),
];

export const waiting: Scene = ({ dish }) => [
  customer("Hola, ¿hay alguien?"),
  customer(`Quisiera otro pedido como el de la otra vez: ${dish}`),
  customer("", { file: demoFiles.voice }),
];

export const plots: readonly (readonly Scene[])[] = [
  [greeting, menu, order, payment, delivery, thanks],
  [greeting, wholesale, payment, voice, delivery, thanks],
  [greeting, complaint, voice, question, order, payment],
  [greeting, question, menu, order, voice, thanks],
];
export const shortPlots: readonly (readonly Scene[])[] = [
  [greeting, order, thanks],
  [greeting, menu, payment],
];
/** Plots for all channels except the cloud channel. They contain places, pictures, voice, documents and reactions. */
export const channelPlots: readonly (readonly Scene[])[] = [
  [greeting, order, payment],
  [greeting, papers, voice, thanks],
];
