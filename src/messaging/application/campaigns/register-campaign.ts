import { BusinessNotFound } from "../../../kernel/errors.ts";
import { instantOf } from "../../../kernel/instants.ts";
import { phoneDigits } from "../../../kernel/text.ts";
import {
  type FrozenTemplate,
  fillParameters,
  type ParameterMapping,
  UnknownIds,
  UnknownPlaceholder,
  WrongSchedule,
} from "../../domain/campaign.ts";
import { NoSender, TemplateNotFound } from "../../domain/failures.ts";
import type { PlatformUnavailable } from "../../domain/platform.ts";
import { bodyText, languageOf, placeholderNames, requiredParameters, storedHeader } from "../../domain/template.ts";
import type { Sender } from "../sends/ports.ts";
import type { KnownTemplates } from "../templates/ports.ts";
import type { CampaignContext, CampaignRegister, NewCampaignUnitOfWork, NewRecipient } from "./ports.ts";

export interface RegisterCampaignCommand {
  readonly businessId: number;
  readonly name: string;
  readonly userId: number;
  readonly templateId: number;
  readonly stepId: number;
  readonly tags: readonly number[];
  readonly contactIds: readonly number[];
  /** `contacts[i]` describes `contactIds[i]`; `phone` holds at least one digit. */
  readonly contacts: readonly { readonly phone: string; readonly fields: Readonly<Record<string, unknown>> }[];
  readonly mapping: ParameterMapping | null;
  /** ISO 8601, in the business's time zone where it names none; at once when null. */
  readonly startsAt: string | null;
  readonly window: { readonly from: string; readonly to: string } | null;
}

export type RegisterCampaignFailure =
  | BusinessNotFound
  | TemplateNotFound
  | UnknownIds
  | UnknownPlaceholder
  | WrongSchedule
  | NoSender
  | PlatformUnavailable;

/** §4: registers a campaign, all or nothing, and has it sent. */
export class RegisterCampaign {
  constructor(
    private readonly campaigns: CampaignRegister,
    private readonly unitOfWork: NewCampaignUnitOfWork,
    private readonly known: KnownTemplates,
    private readonly mediaBaseUrl: string | null,
    /** Has the campaigns looked at; returns at once. */
    private readonly dispatch: () => void,
  ) {}

  /** The campaign's id. */
  async execute(command: RegisterCampaignCommand): Promise<number> {
    const context = await checked(this.campaigns, command);
    const { businessId, name, userId, stepId, tags, window } = command;
    const { sender, timezone, startsAt } = context;
    const template = await freeze(context, this.known, this.mediaBaseUrl);
    const sent = { template, senderId: sender.id, timezone, startsAt, window };
    const campaign = { businessId, name, userId, stepId, tags, ...sent };
    const recipients = recipientsOf(command, context.parameterCount);
    const id = await this.unitOfWork.run(businessId, ({ campaigns }) => campaigns.add(campaign, recipients));
    this.dispatch();
    return id;
  }
}

export type CheckedCampaign = CampaignContext & {
  readonly template: NonNullable<CampaignContext["template"]>;
  readonly sender: Sender;
  readonly parameterCount: number;
  readonly startsAt: Date | null;
};

/** Everything that the command names exists in its business, and it can be sent. */
export async function checked(campaigns: CampaignRegister, command: RegisterCampaignCommand): Promise<CheckedCampaign> {
  const context = await campaigns.context(command);
  if (!context) throw new BusinessNotFound(`business ${command.businessId}`);
  const { template, sender, missing } = context;
  if (!template) throw new TemplateNotFound(`template ${command.templateId} of business ${command.businessId}`);
  if (Object.values(missing).some((ids) => ids.length > 0)) throw new UnknownIds(missing);
  const parameterCount = requiredParameters(template);
  for (const placeholder of command.mapping?.keys() ?? []) {
    if (placeholder > parameterCount) throw new UnknownPlaceholder(placeholder);
  }
  const startsAt = command.startsAt === null ? null : instantOf(command.startsAt, context.timezone);
  if (command.startsAt !== null && startsAt === null) throw new WrongSchedule("no ISO 8601 date");
  if (!sender) throw new NoSender(`business ${command.businessId}`);
  return { ...context, template, sender, parameterCount, startsAt };
}

/** What the campaign sends from now on, whatever becomes of its template. */
export async function freeze(
  { template, sender, preferredLanguage }: CheckedCampaign,
  knownTemplates: KnownTemplates,
  mediaBaseUrl: string | null,
): Promise<FrozenTemplate> {
  // A wrong guess would be frozen with the campaign: better none is registered. ProviderB has languages of its own.
  const mustAsk = template.provider === "Cloud" && !template.structure?.language;
  const known = mustAsk ? await knownTemplates.named(sender, template.platformName) : [];
  return {
    id: template.id,
    platformName: template.platformName,
    language: languageOf(template.structure, preferredLanguage, known),
    body: bodyText(template),
    parameterNames: placeholderNames(template),
    providerBId: template.providerBId,
    media: storedHeader(template, mediaBaseUrl),
  };
}

/** A contact that is named twice is one recipient, as it was named first. */
export function recipientsOf(command: RegisterCampaignCommand, parameterCount: number): NewRecipient[] {
  const { contactIds, contacts, mapping } = command;
  const seen = new Set<number>();
  const recipients: NewRecipient[] = [];
  contactIds.forEach((contactId, index) => {
    const contact = contacts[index];
    if (!contact || seen.has(contactId)) return;
    seen.add(contactId);
    recipients.push({
      contactId,
      phone: phoneDigits(contact.phone) ?? "",
      parameters: fillParameters(mapping, parameterCount, contact.fields),
    });
  });
  return recipients;
}
