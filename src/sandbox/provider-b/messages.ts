import type { AcceptedMessage } from "../core/accepted.ts";
import { dialled, fieldsIn } from "../core/input.ts";
import type { SandboxProviderBTemplate } from "../settings.ts";
import { ProviderBError } from "./errors.ts";

const longestBody = 1_600;

export type Content = Pick<AcceptedMessage, "type" | "text" | "template" | "media">;

/** The digits of `whatsapp:+59170000001`; `null` when it is not of that form. */
export const numberIn = (address: string | null): string | null =>
  address?.startsWith("whatsapp:+") ? dialled(address.slice("whatsapp:".length)) : null;

/** What is sent; throws `ProviderBError` when it would not be taken. */
export function contentOf(form: URLSearchParams, templates: readonly SandboxProviderBTemplate[]): Content {
  const contentId = form.get("ContentSid");
  if (contentId !== null) {
    const template = templates.find((each) => each.contentId === contentId);
    if (!template) throw new ProviderBError(21655);
    return { type: "template", template: { contentId, parameters: variablesOf(form, template) } };
  }
  const [text, link] = [form.get("Body"), form.get("MediaUrl")];
  if (!text && !link) throw new ProviderBError(21619);
  if (text && text.length > longestBody) throw new ProviderBError(21617);
  if (link && !(/^https?:/.test(link) && URL.canParse(link))) throw new ProviderBError(21620);
  return { type: link ? "media" : "text", ...(text && { text }), ...(link && { media: { link } }) };
}

/** The texts of the variables in their order: all of the template's, and no other. */
function variablesOf(form: URLSearchParams, { variables: count }: SandboxProviderBTemplate): string[] {
  const given = fieldsIn(form.get("ContentVariables") ?? "{}");
  const texts = Array.from({ length: count }, (_, index) => given?.[`${index + 1}`]);
  const areTexts = texts.every((text) => typeof text === "string" && text !== "");
  if (!given || !areTexts || Object.keys(given).length !== count) throw new ProviderBError(21656);
  return texts as string[];
}
