import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { PlatformUnavailable, type SubmitOutcome } from "../../messaging/public.ts";
import { type Actor, RecordMovedOn, RecordNotFound, type StoredRecord } from "../domain/records.ts";
import {
  isSubmitted,
  NotSubmittable,
  SampleUnusable,
  type Template,
  TemplateLocked,
  TemplateRefused,
} from "../domain/template.ts";
import type { RecordStores } from "./ports.ts";
import type { ApprovingPlatform, OpenSubmission, SettledSubmission, TemplateStore } from "./template-ports.ts";

/**
 * Submits a template to the platform for approval, also again after a rejection. Before the request is sent, the
 * template becomes pending, and this change is audited. A pending template cannot be submitted again, and its content
 * cannot change. If the answer is lost or the process dies, a sync finds out the outcome.
 */
export class SubmitTemplate {
  constructor(
    private readonly unitOfWork: UnitOfWork<RecordStores<TemplateStore>>,
    private readonly platform: ApprovingPlatform,
    /** Throws if the template breaks one of the platform's rules. */
    private readonly check: (template: Template) => void,
  ) {}

  async execute(actor: Actor, id: number, isExpected: (version: number) => boolean): Promise<StoredRecord<Template>> {
    const { businessId } = actor;
    const { fields, submission } = await this.beginSubmission(actor, id, isExpected);
    const { platformName: name, structure } = fields;
    const template = { name, structure: structure ?? {}, platformId: submission.platformId };
    const outcome = await this.platform.submit(businessId, template).catch(async (error: unknown) => {
      await this.settleSubmission(actor, id, submission, { kind: "not-sent" });
      throw error;
    });
    const { after, isArchived } = await this.settleSubmission(actor, id, submission, outcome);
    if (outcome.kind === "refused") throw new TemplateRefused(outcome.words);
    if (outcome.kind === "no-sample") throw new SampleUnusable(outcome.problem);
    // The platform may have the template. So the template stays pending until a sync or a webhook reports its status.
    if (outcome.kind === "unknown") throw new PlatformUnavailable("the answer to a template was lost");
    if (outcome.kind === "not-sent") throw new PlatformUnavailable("a template could not be sent");
    if (isArchived) throw new RecordNotFound();
    return after;
  }

  private beginSubmission(
    actor: Actor,
    id: number,
    isExpected: (version: number) => boolean,
  ): Promise<{ fields: Template; submission: OpenSubmission }> {
    const { businessId } = actor;
    return this.unitOfWork.run(businessId, async ({ records, audit }) => {
      const before = await records.lock(businessId, id);
      if (!before) throw new RecordNotFound();
      if (!isExpected(before.version)) throw new RecordMovedOn();
      const { provider, structure } = before.fields;
      if (isSubmitted(before.fields)) throw new TemplateLocked("approvalState");
      if (provider !== "Cloud" || structure === null) throw new NotSubmittable(`template ${id}`);
      this.check(before.fields);
      const submission = await records.beginSubmission(businessId, id);
      const after = await records.find(businessId, id);
      await audit.add(actor, [{ ...changed(id), before: before.fields, after: after?.fields ?? null }]);
      return { fields: before.fields, submission };
    });
  }

  private settleSubmission(
    actor: Actor,
    id: number,
    submission: OpenSubmission,
    outcome: SubmitOutcome,
  ): Promise<SettledSubmission> {
    const { businessId } = actor;
    return this.unitOfWork.run(businessId, async ({ records, audit }) => {
      const settled = await records.settleSubmission(businessId, id, submission, outcome);
      const { before, after } = settled;
      if (after.version !== before.version) {
        await audit.add(actor, [{ ...changed(id), before: before.fields, after: after.fields }]);
      }
      return settled;
    });
  }
}

const changed = (recordId: number) => ({ resource: "templates", recordId, change: "changed" }) as const;
