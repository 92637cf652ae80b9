import type { TemplateFixture, UserFixture } from "../fixtures/businesses/business.ts";
import { type DemoFile, demoFiles } from "./files.ts";

interface TemplateSketch {
  readonly name: string;
  readonly platformName: string;
  readonly body: string;
  readonly example?: readonly string[];
  /** The names of the placeholders, in the order of `example`; numbers by default. */
  readonly names?: readonly string[];
  readonly header?: "IMAGE" | "DOCUMENT" | "VIDEO";
  readonly file?: DemoFile;
  /** The platform's status after submission, APPROVED by default; null if the template is not submitted. */
  readonly status?: TemplateFixture["becomes"] | null;
  readonly category?: "UTILITY" | "MARKETING";
  /** A second language, created on the platform's own pages. */
  readonly otherLanguage?: string;
  readonly onlyFirstAgent?: boolean;
  readonly providerBId?: string;
  readonly visible?: boolean;
  readonly deleted?: boolean;
  readonly createdByAi?: boolean;
  /** True if the template was created on the platform's own pages. Then only its text is stored, no structure. */
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
    file: demoFiles.menu,
    category: "MARKETING",
  },
  {
    name: "Factura",
    platformName: "invoice",
    body: "Adjuntamos la factura {{1}} por Bs {{2}}.",
    example: ["887", "120,50"],
    header: "DOCUMENT",
    file: demoFiles.invoice,
  },
  {
    name: "Receta en video",
    platformName: "recipe_video",
    body: "Mira cómo preparamos tu plato favorito.",
    header: "VIDEO",
    withoutStructure: true,
    category: "MARKETING",
  },
  {
    name: "En camino",
    platformName: "order_on_the_way",
    body: "Hola {{1}}, tu pedido {{2}} salió a las {{3}} y va en camino.",
    example: ["Luis", "1024", "12:30"],
    otherLanguage: "en",
  },
  {
    name: "Aniversario",
    platformName: "anniversary",
    body: "Hola {{1}}, celebramos contigo: {{2}} de descuento.",
    example: ["Carla", "20%"],
    status: "PENDING",
    category: "MARKETING",
  },
  {
    name: "Liquidación",
    platformName: "clearance",
    body: "Última oportunidad, {{1}}.",
    example: ["Ana"],
    status: "REJECTED",
  },
  {
    name: "Promo pausada",
    platformName: "paused_promo",
    body: "2x1 solo hoy, {{1}}.",
    example: ["Ana"],
    status: "PAUSED",
  },
  {
    name: "Borrador",
    platformName: "draft_never_sent",
    body: "Todavía sin registrar, {{1}}.",
    example: ["Ana"],
    status: null,
  },
  {
    name: "Recordatorio de carrito",
    platformName: "osm_cart_reminder",
    body: "Hola {{1}}, olvidaste algo en tu carrito.",
    example: ["Ana"],
    category: "MARKETING",
  },
  {
    name: "Encuesta",
    platformName: "survey",
    body: "¿Cómo estuvo todo, {{1}}? Responde del 1 al 5.",
    example: ["Ana"],
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
  {
    name: "Pedido confirmado",
    platformName: "order_confirmed",
    body: "Hola {{nombre}}, confirmamos tu pedido {{pedido}}.",
    example: ["Ana", "1024"],
    names: ["nombre", "pedido"],
  },
];

/** The flag `template_language` of the demo's businesses. */
const language = "es";

/** The templates have only the names of stored files, because the files' addresses are unknown until the demo runs. */
export function templatesOf(base: number, users: readonly UserFixture[]): TemplateFixture[] {
  const firstAgent = users.find(({ roleId }) => roleId === 5);
  return sketches.map((sketch, index) => {
    const fileName = sketch.file?.storedAs ?? null;
    const components = componentsOf(sketch, fileName);
    const { platformName, category = "UTILITY", status = "APPROVED", withoutStructure = false } = sketch;
    const madeThere = [
      ...(withoutStructure ? [language] : []),
      ...(sketch.otherLanguage ? [sketch.otherLanguage] : []),
    ];
    return {
      id: base + index + 1,
      name: sketch.name,
      platformName,
      body: sketch.body,
      structure: withoutStructure ? null : { name: platformName, language, category, components },
      headerType: sketch.header ?? "TEXT",
      fileName,
      provider: sketch.providerBId ? "ProviderB" : "Cloud",
      providerBId: sketch.providerBId ?? null,
      allowedAgents: sketch.onlyFirstAgent && firstAgent ? String(firstAgent.id) : null,
      visible: sketch.visible ?? true,
      deleted: sketch.deleted ?? false,
      createdByAi: sketch.createdByAi ?? (platformName.startsWith("osm_") ? null : false),
      listed: madeThere.map((language) => ({ name: platformName, language, status: "APPROVED", category, components })),
      ...(status !== null && !withoutStructure && { becomes: status }),
    };
  });
}

function componentsOf({ body, example, names, header }: TemplateSketch, fileName: string | null): object[] {
  const named = names?.map((param_name, n) => ({ param_name, example: example?.[n] }));
  const examples = named ? { body_text_named_params: named } : { body_text: [example] };
  return [
    ...(header ? [{ type: "HEADER", format: header, example: { header_handle: [fileName] } }] : []),
    { type: "BODY", text: body, ...(example ? { example: examples } : {}) },
    { type: "FOOTER", text: "Responde BAJA para no recibir más mensajes." },
  ];
}
