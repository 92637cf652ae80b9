import { BusinessNotFound, beforeAll } from "../../../kernel/errors.ts";
import { instantOf } from "../../../kernel/instants.ts";
import { phoneDigits } from "../../../kernel/text.ts";
import {
  type FrozenTemplate,
  fillParameters,
  namedIds,
  type ParameterMapping,
  UnknownIds,
  UnknownPlaceholder,
} from "../../domain/campaign.ts";
import { NoSender, TemplateNotFound } from "../../domain/failures.ts";
import type { PlatformUnavailable } from "../../domain/platform.ts";
import {
  bodyText,
  copiesCode,
  languageOf,
  placeholderNames,
  requiredParameters,
  storedHeader,
} from "../../domain/template.ts";
import type { NameDocuments } from "../sends/name-documents.ts";
import type { Sender } from "../sends/ports.ts";
import type { CachedTemplates } from "../templates/ports.ts";
import type {
  CampaignContext,
  CampaignRegister,
  CampaignRequest,
  NewCampaignUnitOfWork,
  NewRecipient,
  StoredFields,
} from "./ports.ts";

export interface RegisterCampaignCommand extends CampaignRequest {
  readonly name: string;
  readonly contacts: NamedContacts;
  readonly mapping: ParameterMapping | null;
  /** A date that `instantOf` understands. A date without a zone is in the business's time zone. Null means at once. */
  readonly startsAt: string | null;
  readonly window: { readonly from: string; readonly to: string } | null;
}

/** The contacts in the order of the request, in batches. Each method can be called several times. */
interface NamedContacts {
  ids(): AsyncIterable<readonly number[]>;
  whole(): AsyncIterable<readonly NamedContact[]>;
}

export interface NamedContact {
  readonly id: number;
  /** Contains at least one digit. */
  readonly phone: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type RegisterCampaignFailure =
  | BusinessNotFound
  | TemplateNotFound
  | UnknownIds
  | UnknownPlaceholder
  | NoSender
  | PlatformUnavailable;

/** §4: registers a campaign completely or not at all. Workers send it at once, or from its start time on. */
export class RegisterCampaign {
  constructor(
    private readonly campaigns: CampaignRegister,
    private readonly unitOfWork: NewCampaignUnitOfWork,
    private readonly known: CachedTemplates,
    private readonly mediaBaseUrl: string | null,
    private readonly documents: Pick<NameDocuments, "named">,
    /** Makes workers look for campaigns to send; returns at once. */
    private readonly dispatch: () => void,
  ) {}

  /** Resolves to the campaign's id. */
  async execute(command: RegisterCampaignCommand): Promise<number> {
    const id = await beforeAll(this.register(command));
    this.dispatch();
    return id;
  }

  private async register(command: RegisterCampaignCommand): Promise<number> {
    const context = await checked(this.campaigns, command);
    const { businessId, name, userId, stepId, tags, window } = command;
    const { sender, timezone, startsAt } = context;
    const frozen = await freeze(context, this.known, this.mediaBaseUrl);
    const template = await this.documents.named(businessId, frozen);
    const sent = { template, senderId: sender.id, timezone, startsAt, window };
    const campaign = { businessId, name, userId, stepId, tags, ...sent };
    // Contacts are read again if the transaction is retried.
    return this.unitOfWork.run(businessId, ({ campaigns }) =>
      campaigns.add(campaign, context.total, recipientsOf(command, context.parameterCount, campaigns)),
    );
  }
}

export type CheckedCampaign = CampaignContext & {
  readonly template: NonNullable<CampaignContext["template"]>;
  readonly sender: Sender;
  readonly parameterCount: number;
  readonly startsAt: Date | null;
  /** The number of recipients. */
  readonly total: number;
};

/** Checks that the business has all records that the command names, and that the campaign can be sent. */
export async function checked(campaigns: CampaignRegister, command: RegisterCampaignCommand): Promise<CheckedCampaign> {
  const context = await campaigns.context(command);
  if (!context) throw new BusinessNotFound(`business ${command.businessId}`);
  const { template, sender, missing } = context;
  if (!template) throw new TemplateNotFound(`template ${command.templateId} of business ${command.businessId}`);
  const { total, unknown } = await contactsOf(campaigns, command);
  const unknownIds = { contacts: unknown, ...missing };
  if (Object.values(unknownIds).some((ids) => ids.length > 0)) throw new UnknownIds(unknownIds);
  const parameterCount = requiredParameters(template);
  for (const placeholder of command.mapping?.keys() ?? []) {
    if (placeholder > parameterCount) throw new UnknownPlaceholder(placeholder);
  }
  const startsAt = command.startsAt === null ? null : instantOf(command.startsAt, context.timezone);
  if (command.startsAt !== null && startsAt === null) throw new RangeError("no ISO 8601 date");
  if (!sender) throw new NoSender(`business ${command.businessId}`);
  return { ...context, template, sender, parameterCount, startsAt, total };
}

/** Counts the contacts, each once, and returns the lowest ids that the business does not have. */
async function contactsOf(campaigns: CampaignRegister, { businessId, contacts }: RegisterCampaignCommand) {
  const seen = new Set<number>();
  let unknown: readonly number[] = [];
  for await (const ids of contacts.ids()) {
    const fresh = [...new Set(ids)].filter((id) => !seen.has(id));
    for (const id of fresh) seen.add(id);
    const missing = await campaigns.missingContacts(businessId, fresh);
    if (missing.length > 0) unknown = [...unknown, ...missing].sort((a, b) => a - b).slice(0, namedIds);
  }
  return { total: seen.size, unknown };
}

/** Copies what the campaign sends, so that later changes of the template do not affect the campaign. */
async function freeze(
  { template, sender, preferredLanguage }: CheckedCampaign,
  templateCache: CachedTemplates,
  mediaBaseUrl: string | null,
): Promise<FrozenTemplate> {
  // If the platform cannot be asked, the registration fails, because a wrongly guessed language would stay with the
  // campaign. The platform is not asked about ProviderB's templates.
  const mustAsk = template.provider === "Cloud" && !template.structure?.language;
  const known = mustAsk ? await templateCache.named(sender, template.platformName) : [];
  return {
    id: template.id,
    platformName: template.platformName,
    language: languageOf(template.structure, preferredLanguage, known),
    body: bodyText(template),
    parameterNames: placeholderNames(template),
    providerBId: template.providerBId,
    ...(copiesCode(template) && { copiesCode: true }),
    media: storedHeader(template, mediaBaseUrl),
  };
}

/** A contact that is named twice gets one message, with the fields that were given first. */
export async function* recipientsOf(
  { businessId, contacts, mapping }: RegisterCampaignCommand,
  parameterCount: number,
  stored: StoredFields,
): AsyncGenerator<NewRecipient[]> {
  const seen = new Set<number>();
  const names = [...new Set(mapping?.values())];
  for await (const some of contacts.whole()) {
    const recipients: NewRecipient[] = [];
    // The contacts for which the request does not have all mapped fields. Most requests have no such contacts.
    const lacking = some.filter(
      ({ id, fields }) => !seen.has(id) && names.some((name) => !Object.hasOwn(fields, name)),
    );
    const ids = lacking.map(({ id }) => id);
    const kept = ids.length > 0 ? await stored.storedFields(businessId, ids, names) : undefined;
    for (const { id, phone, fields } of some) {
      if (seen.has(id)) continue;
      seen.add(id);
      const parameters = fillParameters(mapping, parameterCount, kept ? { ...kept.get(id), ...fields } : fields);
      recipients.push({ contactId: id, phone: phoneDigits(phone) ?? "", parameters });
    }
    yield recipients;
  }
}
