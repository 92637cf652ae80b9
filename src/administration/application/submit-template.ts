import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { PlatformUnavailable } from "../../messaging/public.ts";
import { type Actor, type Kept, RecordMovedOn, RecordNotFound } from "../domain/records.ts";
import {
  isSubmitted,
  type NoAccount,
  NotSubmittable,
  type Template,
  TemplateLocked,
  TemplateRefused,
} from "../domain/template.ts";
import type { RecordStores } from "./ports.ts";
import type { ApprovingPlatform, Claim, Submitted, TemplateStore } from "./template-ports.ts";

export type SubmitFailure =
  | RecordNotFound
  | RecordMovedOn
  | TemplateLocked
  | NotSubmittable
  | TemplateRefused
  | NoAccount
  | PlatformUnavailable;

/**
 * Sends a template to the platform for approval, or for another one after it was refused. It counts as pending before the
 * request leaves, so that it can be neither changed nor submitted a second time meanwhile.
 */
export class SubmitTemplate {
  constructor(
    private readonly unitOfWork: UnitOfWork<RecordStores<TemplateStore>>,
    private readonly platform: ApprovingPlatform,
    /** Throws what breaks the platform's rules. */
    private readonly check: (template: Template) => void,
  ) {}

  async execute(actor: Actor, id: number, isExpected: (version: number) => boolean): Promise<Kept<Template>> {
    const { businessId } = actor;
    const { before, claim } = await this.unitOfWork.run(businessId, async ({ records }) => {
      const before = await records.lock(businessId, id);
      if (!before) throw new RecordNotFound();
      if (!isExpected(before.version)) throw new RecordMovedOn();
      const { provider, structure } = before.fields;
      if (isSubmitted(before.fields)) throw new TemplateLocked("state");
      if (provider !== "Cloud" || structure === null) throw new NotSubmittable(`template ${id}`);
      this.check(before.fields);
      return { before, claim: await records.claim(businessId, id) };
    });
    const { platformName: name, structure } = before.fields;
    const template = { name, structure: structure ?? {}, platformId: claim.platformId };
    const outcome = await this.platform.submit(businessId, template).catch(async (error: unknown) => {
      await this.settle(actor, before, claim, claim);
      throw error;
    });
    return this.outcomeOf(actor, before, claim, outcome);
  }

  private async outcomeOf(actor: Actor, before: Kept<Template>, claim: Claim, outcome: Submitted) {
    if (outcome.kind === "accepted") return this.settle(actor, before, claim, outcome);
    // The platform may have it: it stays pending until a sync or a webhook says more.
    if (outcome.kind === "unknown") throw new PlatformUnavailable("the answer to a template was lost");
    await this.settle(actor, before, claim, claim);
    if (outcome.kind === "refused") throw new TemplateRefused(outcome.words);
    throw new PlatformUnavailable("a template could not be sent");
  }

  private settle(
    actor: Actor,
    before: Kept<Template>,
    claim: Claim,
    outcome: Parameters<TemplateStore["settle"]>[3],
  ): Promise<Kept<Template>> {
    const { businessId } = actor;
    return this.unitOfWork.run(businessId, async ({ records, audit }) => {
      const after = await records.settle(businessId, before.id, claim, outcome);
      if (outcome !== claim) {
        const entry = { resource: "templates", recordId: before.id, change: "changed" } as const;
        await audit.add(actor, [{ ...entry, before: before.fields, after: after.fields }]);
      }
      return after;
    });
  }
}
