import { cloudChannel, providerBChannel } from "../../../kernel/channels.ts";
import { MediaNotAccessible, NoMediaHeader, SendRefused } from "../../domain/failures.ts";
import type { MessageContent } from "../../domain/message.ts";
import {
  copiesCode,
  headerMedia,
  languageOf,
  type Media,
  placeholderNames,
  renderBody,
  requiredParameters,
  storedHeader,
  type Template,
} from "../../domain/template.ts";
import type { CachedTemplates } from "../templates/ports.ts";
import type { ChatContext, MediaProbe, Sender } from "./ports.ts";

/** The content of a template message, in every form that a channel may need. */
export const templateContent = (
  template: Template,
  language: string,
  parameters: readonly string[],
  media: Media | null,
): MessageContent => ({
  text: renderBody(template, parameters),
  template: {
    name: template.platformName,
    language,
    parameters,
    parameterNames: placeholderNames(template),
    providerBId: template.providerBId,
    ...(copiesCode(template) && { copiesCode: true }),
  },
  ...(media ? { media } : {}),
});

/** The sender for a template to a chat. Throws `SendRefused` if the template cannot be sent. */
export function templateSender(
  { sender }: Pick<ChatContext, "sender">,
  template: Template,
  parameters: number,
): Sender {
  if (!sender) throw new SendRefused("the channel has no sender");
  const knowsTemplate =
    sender.channel === cloudChannel || (sender.channel === providerBChannel && template.providerBId !== null);
  // Other senders send the template as plain text. Without all parameters, the customer would see placeholders.
  if (knowsTemplate || parameters === requiredParameters(template)) return sender;
  throw new SendRefused(`${parameters} parameters for template ${template.id}`);
}

/**
 * The language of a template whose approval is not checked before the send. If the template has no language, the
 * platform is asked in which languages it has the template. Without an answer, the language is `preferred`.
 *
 * @param sender - the sender whose account is asked; if null, the platform is not asked
 */
export async function likelyLanguage(
  { structure, platformName }: Template,
  preferred: string,
  sender: Sender | null,
  known: CachedTemplates,
): Promise<string> {
  const mustAsk = sender !== null && !structure?.language;
  return languageOf(structure, preferred, mustAsk ? await known.named(sender, platformName).catch(() => []) : []);
}

/**
 * The media of a template's header: the file at `mediaUrl` if that is given, else the stored file. Rejects with
 * `NoMediaHeader`, `MediaNotAccessible` or `Busy`.
 */
export async function headerToSend(
  template: Template,
  businessId: number,
  mediaUrl: string | undefined,
  probe: MediaProbe,
  mediaBaseUrl: string | null,
): Promise<Media | null> {
  if (mediaUrl === undefined) return storedHeader(template, mediaBaseUrl);
  const type = headerMedia(template);
  if (!type) throw new NoMediaHeader(`template ${template.id}`);
  const { status } = await probe.probe(businessId, mediaUrl);
  if (status !== 200) throw new MediaNotAccessible(status);
  return { type, link: mediaUrl };
}
