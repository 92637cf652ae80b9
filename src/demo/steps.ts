import type { StepFixture } from "../fixtures/businesses/business.ts";

interface Ticket {
  readonly name: string;
  readonly identifier: string;
  readonly content: string;
  /** The tags' numbers; `stepsOf` adds `base` to get their ids. */
  readonly tags: readonly number[];
}

/** The steps at which the bot hands over to a person. */
const tickets: readonly Ticket[] = [
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

interface BotStep {
  readonly name: string;
  readonly identifier: string;
  readonly type: string;
  readonly content: string;
  /**
   * `after` and `next` are identifiers of earlier steps in the list, because the service must know a step before other
   * steps can refer to that step.
   */
  readonly after?: string;
  readonly next?: string;
  /** Further fields with the API's names. */
  readonly more?: object;
}

const choices = (...titles: readonly string[]): string =>
  JSON.stringify(titles.map((title, index) => ({ id: String(index + 1), title })));

/** The bot's steps before a ticket: a menu, an order, and questions. */
const botSteps: readonly BotStep[] = [
  {
    ...{ name: "Bienvenida", identifier: "bienvenida", type: "botones" },
    content: "¡Hola! Soy el asistente de la casa. ¿Qué necesitas hoy?",
    more: { inicio: true, loop: true, botones: choices("Hacer un pedido", "Mi pedido", "Otra consulta") },
  },
  {
    ...{ name: "Elegir del menú", identifier: "menu", type: "catalogo", after: "bienvenida" },
    content: "Elige lo que se te antoje y envíanos tu carrito.",
    more: { iniciador: "Hacer un pedido", variable: "carrito" },
  },
  {
    ...{ name: "¿Envío o recojo?", identifier: "entrega", type: "botones", after: "menu" },
    content: "¿Te lo llevamos o lo recoges?",
    more: { botones: choices("Envío", "Recojo"), variable: "entrega" },
  },
  {
    ...{ name: "Tu ubicación", identifier: "ubicacion", type: "ubicacion", after: "entrega" },
    content: "Envíanos tu ubicación para calcular el envío.",
    more: { iniciador: "Envío", variable: "direccion", check_sucursal: true },
  },
  {
    ...{ name: "Confirmar el pedido", identifier: "confirmar", type: "pedido", after: "ubicacion" },
    content: "Este es tu pedido. ¿Lo confirmas?",
  },
  {
    ...{ name: "Elegir la sucursal", identifier: "sucursal", type: "sucursal", after: "entrega", next: "confirmar" },
    content: "¿En cuál de nuestras sucursales lo recoges?",
    more: { iniciador: "Recojo", variable: "sucursal" },
  },
  {
    ...{ name: "Pago con QR", identifier: "pago", type: "pago", after: "confirmar" },
    content: "Escanea el código y envíanos el comprobante.",
  },
  {
    ...{ name: "¡Gracias por tu pedido!", identifier: "gracias", type: "fin", after: "pago" },
    content: "¡Listo! Te avisamos cuando salga de la cocina.",
  },
  {
    ...{ name: "Número de pedido", identifier: "numero_pedido", type: "pregunta", after: "bienvenida" },
    content: "¿Cuál es el número de tu pedido?",
    more: { iniciador: "Mi pedido", variable: "numero_pedido" },
  },
  {
    ...{ name: "Más consultas", identifier: "consultas", type: "opciones", after: "bienvenida" },
    content: "Claro, ¿sobre qué?",
    more: {
      iniciador: "Otra consulta",
      titulo_opciones: "Ver opciones",
      opciones: choices("Horarios y dirección", "Por mayor", "Reclamo", "Una persona"),
    },
  },
  {
    ...{ name: "Horarios y dirección", identifier: "horarios", type: "mensaje", after: "consultas" },
    content: "Atendemos de lunes a sábado de 8:30 a 22:00 y domingos de 9:00 a 16:00, en la Av. 6 de Agosto 2450.",
    more: { iniciador: "Horarios y dirección" },
  },
  {
    ...{ name: "¿Algo más?", identifier: "algo_mas", type: "botones", after: "horarios", next: "bienvenida" },
    content: "¿Te ayudamos con algo más?",
    more: { botones: choices("Volver al inicio", "Eso es todo") },
  },
  {
    ...{ name: "Estado del pedido", identifier: "estado", type: "ia", after: "numero_pedido", next: "algo_mas" },
    content: "Déjame ver…",
  },
  {
    ...{ name: "Cantidad y fecha", identifier: "cantidad", type: "pregunta", after: "consultas", next: "mayorista" },
    content: "¿Cuántas porciones necesitas, y para cuándo?",
    more: { iniciador: "Por mayor", variable: "cantidad" },
  },
  {
    ...{ name: "Foto del problema", identifier: "foto", type: "pregunta", after: "consultas", next: "reclamo" },
    content: "Cuéntanos qué pasó y, si puedes, envía una foto.",
    more: { iniciador: "Reclamo", variable: "problema" },
  },
  {
    ...{ name: "Te paso con alguien", identifier: "persona", type: "mensaje", after: "consultas", next: "ventas" },
    content: "Enseguida te atiende una persona.",
    more: { iniciador: "Una persona" },
  },
];

/** Ticket steps come first, so that their ids, which campaigns and forms use, do not depend on the bot's steps. */
export function stepsOf(base: number, [sales, complaints]: readonly { readonly id: number }[]): StepFixture[] {
  const all = [...tickets, ...botSteps];
  const idOf = (identifier: string | undefined): number | null => {
    const place = all.findIndex((step) => step.identifier === identifier);
    return place < 0 ? null : base + place + 1;
  };
  return all.map((step, index) => {
    const { name, identifier, content } = step;
    const shared = { id: base + index + 1, name, identifier, content };
    if ("tags" in step) {
      const departmentId = (identifier === "reclamo" ? complaints?.id : sales?.id) ?? base + 1;
      return { ...shared, departmentId, tags: JSON.stringify(step.tags.map((tag) => base + tag)) };
    }
    const { type, after, next, more } = step;
    const asked = { tipo: type, paso_id: idOf(after), paso_automatico: idOf(next), ...more };
    return { ...shared, departmentId: null, asked };
  });
}
