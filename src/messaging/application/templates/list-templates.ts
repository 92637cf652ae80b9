import { groupBy } from "../../../kernel/group-by.ts";
import { UserNotFound } from "../../domain/failures.ts";
import type { ApprovalState, PlatformUnavailable } from "../../domain/platform.ts";
import { approvalState, isCreatedByAi } from "../../domain/template.ts";
import type { MessagingPlatform, TemplateCatalog, TemplateRecord } from "./ports.ts";

export interface ListedTemplate {
  readonly template: TemplateRecord;
  readonly createdByAi: boolean;
  readonly approvalState: ApprovalState;
}

export type ListTemplatesFailure = UserNotFound | PlatformUnavailable;

/** §1: the templates that a user may send, with their live approval state. */
export class ListTemplates {
  constructor(
    private readonly catalog: TemplateCatalog,
    private readonly platform: MessagingPlatform,
  ) {}

  async execute(businessId: number, userId: number): Promise<ListedTemplate[]> {
    const listing = await this.catalog.listing(businessId, userId);
    if (!listing) throw new UserNotFound(`user ${userId} of business ${businessId}`);
    const { sender, templates, preferredLanguage } = listing;
    const known = sender && templates.length > 0 ? await this.platform.listTemplates(sender) : [];
    const byName = groupBy(known, ({ name }) => name);
    return templates.map((template) => ({
      template,
      createdByAi: isCreatedByAi(template.createdByAi, template),
      approvalState: approvalState(template.structure, preferredLanguage, byName.get(template.platformName) ?? []),
    }));
  }
}
