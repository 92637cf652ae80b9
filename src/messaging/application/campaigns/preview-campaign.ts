import type { TemplateState } from "../../domain/platform.ts";
import { approvalState, longestBody, renderBody } from "../../domain/template.ts";
import type { MessagingPlatform } from "../templates/ports.ts";
import type { CampaignRegister, NewRecipient } from "./ports.ts";
import {
  checked,
  type RegisterCampaignCommand,
  type RegisterCampaignFailure,
  recipientsOf,
} from "./register-campaign.ts";

export interface PreviewedRecipient {
  readonly contactId: number;
  readonly phone: string;
  readonly text: string;
  /** Why it would not be sent, or not be accepted; empty where all is well. */
  readonly problems: readonly (
    | "opted_out"
    | "empty_parameter"
    | "line_break_in_parameter"
    | "wrong_number"
    | "missing_parameters"
    | "text_too_long"
  )[];
}

export interface CampaignPreview {
  readonly state: TemplateState | "no_status";
  /** Templates left of this month's limit; null where there is none. */
  readonly remaining: number | null;
  readonly total: number;
  readonly recipients: readonly PreviewedRecipient[];
}

export type PreviewCampaignFailure = RegisterCampaignFailure;

/** What a campaign would send, to whom, and what would be refused. Sends and stores nothing. */
export class PreviewCampaign {
  constructor(
    private readonly campaigns: CampaignRegister,
    private readonly platform: Pick<MessagingPlatform, "listTemplates">,
  ) {}

  async execute(command: RegisterCampaignCommand, page: number, limit: number): Promise<CampaignPreview> {
    const context = await checked(this.campaigns, command);
    const { template, sender, parameterCount, preferredLanguage } = context;
    // ProviderB approves its own templates, and does not say.
    const mustAsk = template.provider === "Cloud";
    const known = mustAsk ? await this.platform.listTemplates(sender, { name: template.platformName }) : [];
    const all = recipientsOf(command, parameterCount);
    const shown = all.slice((page - 1) * limit, page * limit);
    const optedOut = await this.campaigns.optedOut(
      command.businessId,
      shown.map(({ contactId }) => contactId),
    );
    // ProviderB has limits of its own.
    const mostCharacters = template.provider === "Cloud" ? longestBody : Number.POSITIVE_INFINITY;
    return {
      state: approvalState(template.structure, preferredLanguage, known),
      remaining: await this.campaigns.remaining(command.businessId),
      total: all.length,
      recipients: shown.map((recipient) => {
        const text = renderBody(template, recipient.parameters);
        const isTooLong = text.length > mostCharacters;
        return {
          contactId: recipient.contactId,
          phone: recipient.phone,
          text,
          problems: [
            ...problemsOf(recipient, parameterCount, optedOut),
            ...(isTooLong ? (["text_too_long"] as const) : []),
          ],
        };
      }),
    };
  }
}

function problemsOf(
  { contactId, phone, parameters }: NewRecipient,
  parameterCount: number,
  optedOut: ReadonlySet<number>,
): PreviewedRecipient["problems"] {
  return [
    ...(optedOut.has(contactId) ? (["opted_out"] as const) : []),
    ...(parameters.some((parameter) => parameter.trim() === "") ? (["empty_parameter"] as const) : []),
    // The platform takes neither of them, nor five blanks in a row.
    ...(parameters.some((parameter) => /[\n\r\t]| {5}/.test(parameter)) ? (["line_break_in_parameter"] as const) : []),
    // E.164: at most 15 digits; the shortest numbers with a country code have 8.
    ...(phone.length < 8 || phone.length > 15 ? (["wrong_number"] as const) : []),
    ...(parameters.length < parameterCount ? (["missing_parameters"] as const) : []),
  ];
}
