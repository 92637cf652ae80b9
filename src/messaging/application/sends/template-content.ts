import { cloudChannel, providerBChannel } from "../../../kernel/channels.ts";
import { MediaNotAccessible, NoMediaHeader, SendRefused } from "../../domain/failures.ts";
import type { MessageContent } from "../../domain/message.ts";
import {
  headerMedia,
  languageOf,
  type Media,
  placeholderNames,
  renderBody,
  requiredParameters,
  storedHeader,
  type Template,
} from "../../domain/template.ts";
import type { KnownTemplates } from "../templates/ports.ts";
import type { ChatContext, MediaProbe, Sender } from "./ports.ts";

/** A template as a message, in every form that a channel may want it in. */
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
  },
  ...(media ? { media } : {}),
});

/** What a template leaves from to a chat; rejects with `SendRefused` where it cannot be sent at all. */
export function templateSender(
  { sender }: Pick<ChatContext, "sender">,
  template: Template,
  parameters: number,
): Sender {
  if (!sender) throw new SendRefused("the channel has no sender");
  const knowsTemplate =
    sender.channel === cloudChannel || (sender.channel === providerBChannel && template.providerBId !== null);
  // Nobody else counts them there, and the customer would read the placeholders.
  if (knowsTemplate || parameters === requiredParameters(template)) return sender;
  throw new SendRefused(`${parameters} parameters for template ${template.id}`);
}

/**
 * The language of a send that no approval decides: the platform is asked only for templates that name none, and its
 * silence is no reason not to try.
 *
 * @param sender - of the account that is asked; nobody is without one
 */
export async function likelyLanguage(
  { structure, platformName }: Template,
  preferred: string,
  sender: Sender | null,
  known: KnownTemplates,
): Promise<string> {
  const mustAsk = sender !== null && !structure?.language;
  return languageOf(structure, preferred, mustAsk ? await known.named(sender, platformName).catch(() => []) : []);
}

/**
 * The media in a template's header: what is stored, or the file at `mediaUrl`, which stands in for it in one send. Rejects
 * with `NoMediaHeader` and `MediaNotAccessible`.
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
  const answer = await probe.probe(businessId, mediaUrl);
  const status = answer.kind === "answered" ? answer.status : null;
  if (status !== 200) throw new MediaNotAccessible(status);
  return { type, link: mediaUrl };
}
