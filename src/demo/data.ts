import {
  type ChannelName,
  cloudChannel,
  pageChannel,
  photoChannel,
  providerBChannel,
  qrChannel,
} from "../kernel/channels.ts";
import type { SandboxTemplate } from "../sandbox/sandbox.ts";
import { Random } from "./random.ts";

/** A business of the demo; ids are fixed, so that what is printed and written about them stays true. */
export interface DemoBusiness {
  readonly id: number;
  readonly name: string;
  readonly flags: object;
  readonly users: readonly DemoUser[];
  readonly departments: readonly DemoDepartment[];
  readonly tags?: readonly { readonly id: number; readonly name: string }[];
  readonly steps: readonly DemoStep[];
  readonly templates: readonly DemoTemplate[];
  readonly threads: readonly DemoThread[];
  readonly otherSenders?: readonly DemoSender[];
  /** Its number at the platform. */
  readonly sender: {
    readonly phoneNumberId: string;
    readonly accountId: string;
    readonly phone: string;
    readonly token: string;
  };
}

/** What a business sends from on a channel other than the cloud business API. */
export interface DemoSender {
  readonly channel: Exclude<ChannelName, typeof cloudChannel>;
  readonly platformId: string;
  readonly accountId: string;
  readonly phone: string;
  readonly token: string;
}

export interface DemoUser {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly roleId: number;
  readonly available: boolean;
}

export interface DemoDepartment {
  readonly id: number;
  readonly name: string;
  /** By day, on the clock of the business; always open without. */
  readonly openingHours?: object;
  readonly outOfHoursMessage?: string;
  readonly agentIds?: readonly number[];
}

export interface DemoStep {
  readonly id: number;
  readonly name: string;
  readonly identifier: string;
  readonly content: string;
  readonly departmentId: number | null;
  readonly tags?: string;
  readonly agent?: string;
}

export interface DemoTemplate {
  readonly id: number;
  readonly name: string;
  readonly platformName: string;
  readonly body: string;
  readonly structure: object | null;
  readonly headerType: string | null;
  readonly fileName: string | null;
  readonly provider: "Cloud" | "ProviderB";
  readonly providerBId: string | null;
  readonly allowedAgents: string | null;
  readonly visible: boolean;
  readonly deleted: boolean;
  readonly createdByAi: boolean | null;
  /** How the platform lists it: once for each language, or not at all. */
  readonly listed: readonly SandboxTemplate[];
}

export interface DemoThread {
  readonly contactId: number;
  readonly chatId: number;
  readonly name: string;
  readonly phone: string;
  /** The cloud business API when absent. */
  readonly channel?: ChannelName;
  readonly state: "bot" | "pending" | "in_progress" | "closed";
  readonly supportUserId: number | null;
  readonly adId: string | null;
  readonly messages: readonly DemoMessage[];
}

export interface DemoMessage {
  readonly direction: "in" | "out";
  readonly body: string;
  readonly author: "contact" | "business" | "user" | "bot";
  readonly authorName: string;
  readonly state: string;
  readonly at: Date;
}

export const demoPassword = "recado-demo";

/** The demo, always the same but for its dates, which are relative to `now`. */
export function demoBusinesses(now: Date): DemoBusiness[] {
  return [
    business({ id: 1, name: "Sabor Andino", threads: 240, group: [1, 3], seed: 11, now }),
    business({ id: 2, name: "Café Illimani", threads: 40, group: [2, 4], seed: 22, now }),
    business({ id: 3, name: "Sabor Andino Cochabamba", threads: 60, group: null, seed: 33, now }),
    business({ id: 4, name: "Café Illimani El Alto", threads: 30, group: null, seed: 44, now }),
  ];
}

const otherChannels = [pageChannel, photoChannel, qrChannel, providerBChannel] as const;

interface Plan {
  readonly id: number;
  readonly name: string;
  readonly threads: number;
  /** The businesses whose report it shares; it must be one of them. */
  readonly group: readonly number[] | null;
  readonly seed: number;
  readonly now: Date;
}

function business(plan: Plan): DemoBusiness {
  const { id, name, now } = plan;
  const random = new Random(plan.seed);
  // The first business has the small ids that people type; the others' stand clear of them.
  const base = id === 1 ? 0 : id * 1_000;
  const users = usersOf(base, id, random);
  const departments = departmentsOf(base, users);
  const phone = `5912${String(2_000_000 + id)}`;
  const otherSenders = otherChannels.map((channel) => ({
    channel,
    platformId: `${channel}-${id}`,
    accountId: channel === providerBChannel ? `AC${String(id).padStart(32, "0")}` : `3000${id}`,
    phone,
    token: `demo-${channel}-token-${id}`,
  }));
  return {
    id,
    name,
    flags: {
      timezone: "America/La_Paz",
      template_language: "es",
      currency: "BOB",
      currency_conversion: { USD: 6.96 },
      "payments-url": `https://pagos.example.com/${id}`,
      ...(plan.group ? { group_shared_report: plan.group } : {}),
    },
    users,
    departments,
    tags: ["Interesado", "Mayorista", "Reclamo", "Cliente frecuente"].map((tag, index) => ({
      id: base + index + 1,
      name: tag,
    })),
    steps: stepsOf(base, departments),
    templates: templatesOf(base, users, id),
    threads: Array.from({ length: plan.threads }, (_, index) => ({
      ...thread(base, index, { id, users, now, random }),
      // The last few are on the other channels, one on each.
      channel: otherSenders[plan.threads - 1 - index]?.channel ?? cloudChannel,
    })),
    otherSenders,
    sender: { phoneNumberId: `1000${id}`, accountId: `2000${id}`, phone, token: `demo-platform-token-${id}` },
  };
}

const firstNames = [
  "Ana",
  "Luis",
  "María",
  "José",
  "Carla",
  "Diego",
  "Lucía",
  "Marco",
  "Paola",
  "Rodrigo",
  "Sofía",
  "Álvaro",
  "Valeria",
  "Hugo",
  "Camila",
  "Jorge",
  "Daniela",
  "Freddy",
  "Noelia",
  "Iván",
] as const;
const lastNames = [
  "Mamani",
  "Quispe",
  "Flores",
  "Vargas",
  "Choque",
  "Rojas",
  "Gutiérrez",
  "Condori",
  "Suárez",
  "Aguilar",
  "Medina",
  "Torrico",
  "Peredo",
  "Arce",
  "Limachi",
] as const;

const fullName = (random: Random) => `${random.pick(firstNames)} ${random.pick(lastNames)}`;

function usersOf(base: number, businessId: number, random: Random): DemoUser[] {
  const roles = [1, 5, 5, 5, 2];
  return roles.map((roleId, index) => ({
    id: base + index + 1,
    name: fullName(random),
    email: `${roleId === 1 ? "admin" : `user${index + 1}`}@business${businessId}.example.com`,
    roleId,
    available: roleId === 5 && index !== 3,
  }));
}

/** Sales always answer; complaints wait for the morning. */
function departmentsOf(base: number, users: readonly DemoUser[]): DemoDepartment[] {
  const agentIds = users.filter(({ roleId }) => roleId === 5).map(({ id }) => id);
  const workday = [
    ["08:30", "12:30"],
    ["14:30", "19:00"],
  ];
  const openingHours = {
    mon: workday,
    tue: workday,
    wed: workday,
    thu: workday,
    fri: workday,
    sat: [["09:00", "13:00"]],
  };
  const outOfHoursMessage =
    "Gracias por escribirnos. Atendemos reclamos de lunes a viernes de 8:30 a 12:30 y de 14:30 a 19:00, y sábados " +
    "de 9:00 a 13:00. Te responderemos apenas abramos.";
  return [
    { id: base + 1, name: "Ventas", agentIds },
    { id: base + 2, name: "Reclamos", openingHours, outOfHoursMessage, agentIds: agentIds.slice(1) },
  ];
}

function stepsOf(base: number, [sales, complaints]: readonly { readonly id: number }[]): DemoStep[] {
  const steps = [
    {
      name: "Hablar con ventas",
      identifier: "ventas",
      content: "¡Hola! Una persona de ventas te atenderá.",
      tags: [1],
    },
    {
      name: "Reclamo de un pedido",
      identifier: "reclamo",
      content: "Lamentamos lo ocurrido. Cuéntanos qué pasó.",
      tags: [3],
    },
    {
      name: "Pedido al por mayor",
      identifier: "mayorista",
      content: "Gracias por tu interés en precios por mayor.",
      tags: [1, 2],
    },
  ];
  return steps.map(({ tags, ...step }, index) => ({
    ...step,
    id: base + index + 1,
    departmentId: (index === 1 ? complaints?.id : sales?.id) ?? base + 1,
    tags: JSON.stringify(tags.map((tag) => base + tag)),
  }));
}

interface TemplateSketch {
  readonly name: string;
  readonly platformName?: string;
  readonly body: string;
  readonly example?: readonly string[];
  readonly header?: "IMAGE" | "DOCUMENT" | "VIDEO";
  readonly fileName?: string;
  /** The state at the platform; null where the platform does not know the name. */
  readonly status?: string | null;
  readonly category?: "UTILITY" | "MARKETING";
  readonly languages?: readonly string[];
  readonly onlyFirstAgent?: boolean;
  readonly providerBId?: string;
  readonly visible?: boolean;
  readonly deleted?: boolean;
  readonly createdByAi?: boolean;
  /** As it was stored before structures were: the text alone. */
  readonly withoutStructure?: boolean;
}

const sketches: readonly TemplateSketch[] = [
  {
    name: "Pedido listo",
    platformName: "order_ready",
    body: "Hola {{1}}, tu pedido {{2}} está listo para recoger.",
    example: ["Ana", "1024"],
  },
  { name: "Bienvenida", platformName: "welcome", body: "¡Gracias por escribirnos! ¿En qué podemos ayudarte?" },
  {
    name: "Menú de la semana",
    platformName: "weekly_menu",
    body: "Hola {{1}}, este es el menú de la semana.",
    example: ["Ana"],
    header: "IMAGE",
    fileName: "menu.jpg",
    category: "MARKETING",
  },
  {
    name: "Factura",
    platformName: "invoice",
    body: "Adjuntamos la factura {{1}} por Bs {{2}}.",
    example: ["887", "120,50"],
    header: "DOCUMENT",
    fileName: "factura.pdf",
  },
  {
    name: "Receta en video",
    platformName: "recipe_video",
    body: "Mira cómo preparamos tu plato favorito.",
    header: "VIDEO",
    fileName: "receta.mp4",
    category: "MARKETING",
  },
  {
    name: "En camino",
    platformName: "order_on_the_way",
    body: "{{1}}, tu pedido {{2}} salió a las {{3}} y va en camino.",
    example: ["Luis", "1024", "12:30"],
    languages: ["es", "en"],
  },
  {
    name: "Aniversario",
    platformName: "anniversary",
    body: "Hola {{1}}, celebramos contigo: {{2}} de descuento.",
    example: ["Carla", "20%"],
    status: "PENDING",
    category: "MARKETING",
  },
  { name: "Liquidación", platformName: "clearance", body: "Última oportunidad, {{1}}.", status: "REJECTED" },
  { name: "Promo pausada", platformName: "paused_promo", body: "2x1 solo hoy, {{1}}.", status: "PAUSED" },
  { name: "Borrador", platformName: "draft_never_sent", body: "Todavía sin registrar, {{1}}.", status: null },
  {
    name: "Recordatorio de carrito",
    platformName: "osm_cart_reminder",
    body: "{{1}}, olvidaste algo en tu carrito.",
    category: "MARKETING",
  },
  {
    name: "Encuesta",
    platformName: "survey",
    body: "¿Cómo estuvo todo, {{1}}? Responde del 1 al 5.",
    onlyFirstAgent: true,
    createdByAi: true,
  },
  {
    name: "Aviso por ProviderB",
    platformName: "provider_b_notice",
    body: "Hola {{1}}, tenemos novedades.",
    providerBId: "HX0123456789abcdef0123456789abcdef",
    status: null,
  },
  { name: "Horario", platformName: "opening_hours", body: "Atendemos de {{1}} a {{2}}.", withoutStructure: true },
  { name: "Plantilla oculta", platformName: "hidden_one", body: "No se muestra.", visible: false },
  { name: "Plantilla borrada", platformName: "deleted_one", body: "Ya no existe.", deleted: true },
];

function templatesOf(base: number, users: readonly DemoUser[], businessId: number): DemoTemplate[] {
  const firstAgent = users.find(({ roleId }) => roleId === 5);
  return sketches.map((sketch, index) => {
    const components = componentsOf(sketch);
    const languages = sketch.languages ?? ["es"];
    const platformName = sketch.platformName ?? `template_${index}`;
    const { status = "APPROVED" } = sketch;
    return {
      id: base + index + 1,
      name: sketch.name,
      platformName,
      body: sketch.body,
      structure: sketch.withoutStructure ? null : { name: platformName, language: languages[0], components },
      headerType: sketch.header ?? "TEXT",
      fileName: sketch.fileName ? `https://media.example.com/${businessId}/${sketch.fileName}` : null,
      provider: sketch.providerBId ? "ProviderB" : "Cloud",
      providerBId: sketch.providerBId ?? null,
      allowedAgents: sketch.onlyFirstAgent && firstAgent ? String(firstAgent.id) : null,
      visible: sketch.visible ?? true,
      deleted: sketch.deleted ?? false,
      createdByAi: sketch.createdByAi ?? (platformName.startsWith("osm_") ? null : false),
      listed: (status === null ? [] : languages).map((language) => ({
        name: platformName,
        language,
        status: status ?? "PENDING",
        category: sketch.category ?? "UTILITY",
        components,
      })),
    };
  });
}

function componentsOf({ body, example, header }: TemplateSketch): object[] {
  return [
    ...(header ? [{ type: "HEADER", format: header }] : []),
    { type: "BODY", text: body, ...(example ? { example: { body_text: [example] } } : {}) },
    { type: "FOOTER", text: "Responde BAJA para no recibir más mensajes." },
  ];
}

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
  readonly users: readonly DemoUser[];
  readonly now: Date;
  readonly random: Random;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

function thread(base: number, index: number, { id, users, now, random }: ThreadPlan): DemoThread {
  const name = fullName(random);
  const state = random.pick(["bot", "bot", "pending", "in_progress", "in_progress", "closed"]);
  const agent = random.pick([users[1] ?? users[0], users[2] ?? users[0]] as [DemoUser, ...DemoUser[]]);
  const attended = state === "in_progress" || state === "closed";
  let at = now.getTime() - random.between(1, 90) * dayMs + random.between(0, 600) * minuteMs;
  const messages = Array.from({ length: random.between(1, 7) }, (_, turn): DemoMessage => {
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
    adId: random.chance(0.25) ? `12020000000000${random.between(1, 6)}` : null,
    messages,
  };
}
