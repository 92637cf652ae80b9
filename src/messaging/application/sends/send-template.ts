import { BusinessNotFound } from "../../../kernel/errors.ts";
import {
  MediaNotAccessible,
  NoMediaHeader,
  NoSender,
  type PlatformUnreachable,
  type SendRefused,
  type SendUncertain,
  TemplateNotFound,
} from "../../domain/failures.ts";
import { headerMedia, languageOf, type Media, storedHeader, type Template } from "../../domain/template.ts";
import type { Channel, KnownTemplates, MediaProbe, Outbox, SendContext, Sender, TemplateCatalog } from "../ports.ts";
import { conclude } from "./conclude.ts";
import { templateContent } from "./template-content.ts";

export interface SendTemplateCommand {
  readonly businessId: number;
  /** Digits only. */
  readonly phone: string;
  readonly templateId: number;
  readonly parameters: readonly string[];
  /** Names the contact if it has to be made; the phone number otherwise. */
  readonly contactName?: string;
  /** Stands in for the header media, for this send only. */
  readonly mediaUrl?: string;
}

export interface AcceptedMessage {
  /** The platform's id of it. */
  readonly platformMessageId: string;
}

export type SendTemplateFailure =
  | BusinessNotFound
  | TemplateNotFound
  | NoSender
  | NoMediaHeader
  | MediaNotAccessible
  | SendRefused
  | SendUncertain
  | PlatformUnreachable;

/** §2: sends a template to a phone number, at most once, and keeps it in the conversation with that number. */
export class SendTemplate {
  constructor(
    private readonly catalog: TemplateCatalog,
    private readonly cloud: Channel,
    private readonly known: KnownTemplates,
    private readonly media: MediaProbe,
    private readonly outbox: Outbox,
    /** Where stored media files are served, ending in a slash; without it only files stored as URLs are sent. */
    private readonly mediaBaseUrl: string | null,
    /** Hears why what came of a message could not be written down. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  async execute(command: SendTemplateCommand): Promise<AcceptedMessage> {
    const context = await this.catalog.sendContext(command.businessId, command.templateId);
    if (!context) throw new BusinessNotFound(`business ${command.businessId}`);
    const { sender, template } = context;
    if (!template) throw new TemplateNotFound(`template ${command.templateId} of business ${command.businessId}`);
    const header = await this.headerOf(template, command.mediaUrl);
    if (!sender) throw new NoSender(`business ${command.businessId}`);
    const language = await this.language(context, sender, template);
    const content = templateContent(template, language, command.parameters, header);

    const entry = await this.outbox.open({
      businessId: command.businessId,
      phone: command.phone,
      contactName: command.contactName ?? command.phone,
      body: content.text,
      ...(header ? { mediaUrl: header.link } : {}),
      templateId: template.id,
      authorName: context.businessName,
    });
    const outcome = await this.cloud.send(sender, { to: command.phone, reference: entry.reference, ...content });
    return { platformMessageId: await conclude(entry, outcome, this.onFailure) };
  }

  private async headerOf(template: Template, mediaUrl: string | undefined): Promise<Media | null> {
    if (mediaUrl === undefined) return storedHeader(template, this.mediaBaseUrl);
    const type = headerMedia(template);
    if (!type) throw new NoMediaHeader(`template ${template.id}`);
    const answer = await this.media.probe(mediaUrl);
    const status = answer.kind === "answered" ? answer.status : null;
    if (status !== 200) throw new MediaNotAccessible(status);
    return { type, link: mediaUrl };
  }

  /** Asks the platform only for templates that name no language; its silence is no reason not to try. */
  private async language(context: SendContext, sender: Sender, template: Template): Promise<string> {
    const { structure, platformName } = template;
    const known = structure?.language ? [] : await this.known.named(sender, platformName).catch(() => []);
    return languageOf(structure, context.preferredLanguage, known);
  }
}
