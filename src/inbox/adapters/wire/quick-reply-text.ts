import type { QuickReplyFacts } from "../../application/acting/ports.ts";

const placeholder = /\{\{([^{}]+)\}\}/g;

/**
 * Fills in `{{contacto.nombre}}`, `{{contacto.numero}}`, `{{contacto.<campo>}}`, `{{agente.nombre}}` and
 * `{{negocio.nombre}}`, in upper or lower case. Unknown values are empty.
 */
export const quickReplyText = (text: string, facts: QuickReplyFacts): string =>
  text.replace(placeholder, (_, name: string) => factOf(name.trim(), facts));

function factOf(name: string, facts: QuickReplyFacts): string {
  const [whose = "", ...rest] = name.split(".");
  const what = rest.join(".").trim();
  switch (`${whose.trim()}.${what}`.toLowerCase()) {
    case "contacto.nombre":
      return facts.contactName ?? "";
    case "contacto.numero":
      return facts.contactPhone ?? "";
    case "agente.nombre":
      return facts.agentName ?? "";
    case "negocio.nombre":
      return facts.businessName;
    default:
      return whose.trim().toLowerCase() === "contacto" ? fieldOf(facts.contactFields, what) : "";
  }
}

/** The value of the field with exactly this name, else of a field whose name differs only in upper and lower case. */
function fieldOf(fields: QuickReplyFacts["contactFields"], wanted: string): string {
  const all = Object.entries(fields ?? {});
  const same = (name: string) => name.toLowerCase() === wanted.toLowerCase();
  const [, value] = all.find(([name]) => name === wanted) ?? all.find(([name]) => same(name)) ?? [];
  return typeof value === "string" ? value : "";
}
