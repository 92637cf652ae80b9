import { type Media, placeholderNames, renderBody, type Template } from "../../domain/template.ts";
import type { ChannelMessage } from "../ports.ts";

/** A template as a message, in every form that a channel may want it in. */
export const templateContent = (
  template: Template,
  language: string,
  parameters: readonly string[],
  media: Media | null,
): Pick<ChannelMessage, "text" | "template" | "media"> => ({
  text: renderBody(template, parameters),
  template: {
    name: template.platformName,
    language,
    parameters,
    parameterNames: placeholderNames(template),
    providerBId: template.providerBId,
  },
  ...(media ? { media } : {}),
});
