import type { ApprovalState } from "../../domain/platform.ts";
import { approvalState, longestBody, renderBody } from "../../domain/template.ts";
import type { MessagingPlatform, SenderCapacities, SenderCapacity } from "../templates/ports.ts";
import type { CampaignRegister, NewRecipient } from "./ports.ts";
import { type CheckedCampaign, checked, type RegisterCampaignCommand, recipientsOf } from "./register-campaign.ts";

/** Why a message would not be sent, or would be refused by the platform. */
export const previewProblems = [
  "opted_out",
  "empty_parameter",
  "line_break_in_parameter",
  "wrong_number",
  "missing_parameters",
  "text_too_long",
] as const;
type Problem = (typeof previewProblems)[number];
type ProblemCounts = Readonly<Record<Problem, number>>;

interface PreviewedRecipient {
  readonly contactId: number;
  readonly phone: string;
  readonly text: string;
  readonly problems: readonly Problem[];
}

export interface CampaignPreview {
  readonly approvalState: ApprovalState;
  /** Templates left of this month's limit; null if there is no limit. */
  readonly remaining: number | null;
  readonly total: number;
  readonly recipients: readonly PreviewedRecipient[];
}

/** Problems of a campaign as a whole. */
interface CampaignCheck {
  /** How many recipients have any problem. */
  readonly affected: number;
  readonly problems: ProblemCounts;
  readonly capacity: SenderCapacity;
}

const unknownCapacity: SenderCapacity = { quality: null, dailyLimit: null };

/**
 * Shows what a campaign would send to whom, and what would be refused. Sends and stores nothing. Rejects as a
 * registration would.
 */
export class PreviewCampaign {
  constructor(
    private readonly campaigns: CampaignRegister,
    private readonly platform: MessagingPlatform,
    private readonly capacities: SenderCapacities,
  ) {}

  async execute(command: RegisterCampaignCommand, page: number, limit: number): Promise<CampaignPreview> {
    const context = await checked(this.campaigns, command);
    const about = await this.about(command, context);
    const place = { from: (page - 1) * limit, to: page * limit };
    const recipients: PreviewedRecipient[] = [];
    let at = 0;
    for await (const batch of recipientsOf(command, context.parameterCount, this.campaigns)) {
      const shown = batch.slice(Math.max(0, place.from - at), Math.max(0, place.to - at));
      recipients.push(...(await this.previewed(command.businessId, context, shown)));
      at += batch.length;
      if (at >= place.to) break;
    }
    return { ...about, recipients };
  }

  /** Checks every recipient. The page contains only recipients with a problem. */
  async check(
    command: RegisterCampaignCommand,
    page: number,
    limit: number,
  ): Promise<CampaignPreview & { readonly check: CampaignCheck }> {
    const context = await checked(this.campaigns, command);
    const isCloud = context.template.provider === "Cloud";
    const [about, capacity] = await Promise.all([
      this.about(command, context),
      isCloud ? this.capacities.of(context.sender) : unknownCapacity,
    ]);
    const problems = Object.fromEntries(previewProblems.map((problem) => [problem, 0])) as Record<Problem, number>;
    const recipients: PreviewedRecipient[] = [];
    let affected = 0;
    for await (const batch of recipientsOf(command, context.parameterCount, this.campaigns)) {
      for (const each of await this.previewed(command.businessId, context, batch)) {
        if (each.problems.length === 0) continue;
        affected += 1;
        for (const problem of each.problems) problems[problem] += 1;
        if (affected > (page - 1) * limit && affected <= page * limit) recipients.push(each);
      }
    }
    return { ...about, recipients, check: { affected, problems, capacity } };
  }

  private async about({ businessId }: RegisterCampaignCommand, context: CheckedCampaign) {
    const { template, sender, preferredLanguage, total } = context;
    // ProviderB approves its own templates. This service cannot read the approval.
    const isCloud = template.provider === "Cloud";
    const [known, remaining] = await Promise.all([
      isCloud ? this.platform.listTemplates(sender, { name: template.platformName }) : [],
      this.campaigns.remaining(businessId),
    ]);
    return { approvalState: approvalState(template.structure, preferredLanguage, known), remaining, total };
  }

  private async previewed(
    businessId: number,
    { template, parameterCount }: CheckedCampaign,
    recipients: readonly NewRecipient[],
  ): Promise<PreviewedRecipient[]> {
    if (recipients.length === 0) return [];
    const mostCharacters = template.provider === "Cloud" ? longestBody : Number.POSITIVE_INFINITY;
    const ids = recipients.map(({ contactId }) => contactId);
    const obstacles = await this.campaigns.obstacles(businessId, ids);
    return recipients.map(({ contactId, phone, parameters }) => {
      const text = renderBody(template, parameters);
      const { hasOptedOut = false, hasNoNumber = false } = obstacles.get(contactId) ?? {};
      const has: Readonly<Record<Problem, boolean>> = {
        opted_out: hasOptedOut,
        empty_parameter: parameters.some((parameter) => parameter.trim() === ""),
        // The platform refuses parameters with a line break, a tab, or five spaces in a row.
        line_break_in_parameter: parameters.some((parameter) => /[\n\r\t]| {5}/.test(parameter)),
        // E.164: at most 15 digits. Hardly any number with a country code has fewer than 8. The campaign skips
        // contacts without a stored number, even if the request gives one.
        wrong_number: hasNoNumber || phone.length < 8 || phone.length > 15,
        missing_parameters: parameters.length < parameterCount,
        text_too_long: text.length > mostCharacters,
      };
      return { contactId, phone, text, problems: previewProblems.filter((problem) => has[problem]) };
    });
  }
}
