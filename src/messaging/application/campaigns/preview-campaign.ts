import type { ApprovalState } from "../../domain/platform.ts";
import { approvalState, longestBody, renderBody } from "../../domain/template.ts";
import type { MessagingPlatform } from "../templates/ports.ts";
import type { CampaignRegister } from "./ports.ts";
import { checked, type RegisterCampaignCommand, recipientsOf } from "./register-campaign.ts";

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

export interface PreviewedRecipient {
  readonly contactId: number;
  readonly phone: string;
  readonly text: string;
  /** Empty if there is no problem. */
  readonly problems: readonly Problem[];
}

export interface CampaignPreview {
  readonly approvalState: ApprovalState;
  /** Templates left of this month's limit; null if there is no limit. */
  readonly remaining: number | null;
  readonly total: number;
  readonly recipients: readonly PreviewedRecipient[];
}

/**
 * Shows what a campaign would send to whom, and what would be refused. Sends and stores nothing. Rejects as a
 * registration would.
 */
export class PreviewCampaign {
  constructor(
    private readonly campaigns: CampaignRegister,
    private readonly platform: MessagingPlatform,
  ) {}

  async execute(command: RegisterCampaignCommand, page: number, limit: number): Promise<CampaignPreview> {
    const context = await checked(this.campaigns, command);
    const { template, sender, parameterCount, preferredLanguage, total } = context;
    // ProviderB approves its own templates. Neither their approval nor its limits can be read.
    const isCloud = template.provider === "Cloud";
    const known = isCloud ? await this.platform.listTemplates(sender, { name: template.platformName }) : [];
    const mostCharacters = isCloud ? longestBody : Number.POSITIVE_INFINITY;
    const shown = await slice(recipientsOf(command, parameterCount, this.campaigns), (page - 1) * limit, page * limit);
    const optedOut = await this.campaigns.optedOut(
      command.businessId,
      shown.map(({ contactId }) => contactId),
    );
    return {
      approvalState: approvalState(template.structure, preferredLanguage, known),
      remaining: await this.campaigns.remaining(command.businessId),
      total,
      recipients: shown.map(({ contactId, phone, parameters }) => {
        const text = renderBody(template, parameters);
        const has: Readonly<Record<Problem, boolean>> = {
          opted_out: optedOut.has(contactId),
          empty_parameter: parameters.some((parameter) => parameter.trim() === ""),
          // The platform refuses these characters, and also five spaces in a row.
          line_break_in_parameter: parameters.some((parameter) => /[\n\r\t]| {5}/.test(parameter)),
          // E.164: at most 15 digits; the shortest numbers with a country code have 8.
          wrong_number: phone.length < 8 || phone.length > 15,
          missing_parameters: parameters.length < parameterCount,
          text_too_long: text.length > mostCharacters,
        };
        return { contactId, phone, text, problems: previewProblems.filter((problem) => has[problem]) };
      }),
    };
  }
}

/** Reads no further batch than it needs. */
async function slice<Item>(batches: AsyncIterable<readonly Item[]>, from: number, to: number): Promise<Item[]> {
  const taken: Item[] = [];
  let at = 0;
  for await (const batch of batches) {
    taken.push(...batch.slice(Math.max(0, from - at), Math.max(0, to - at)));
    at += batch.length;
    if (at >= to) break;
  }
  return taken;
}
