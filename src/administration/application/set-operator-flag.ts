import { bySystem } from "../../kernel/audit.ts";
import { BusinessNotFound } from "../../kernel/errors.ts";
import { isSameJson } from "../../kernel/same-json.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import { type OperatorFlag, type OperatorFlags, refusalOf } from "../domain/operator-flags.ts";
import { RuleBroken, type StoredRecord } from "../domain/records.ts";
import type { OneRecord, RecordStores } from "./ports.ts";

/** The flags of each business. The id of the record is the id of the business. */
export interface OperatorFlagStore extends Pick<OneRecord<OperatorFlags>, "find" | "lock"> {
  setOperatorFlag(businessId: number, flag: OperatorFlag, value: unknown): Promise<StoredRecord<OperatorFlags>>;
}

/** Sets a flag that the business itself can only read, and audits the change. */
export class SetOperatorFlag {
  constructor(
    private readonly reads: Pick<OperatorFlagStore, "find">,
    private readonly unitOfWork: UnitOfWork<RecordStores<OperatorFlagStore>>,
  ) {}

  /** Null removes the flag. Rejects with `RuleBroken` for an unacceptable value, and with `BusinessNotFound`. */
  async execute(businessId: number, flag: OperatorFlag, value: unknown): Promise<void> {
    const error = refusalOf(flag, value);
    if (error !== null) throw new RuleBroken(error);
    if (flag === "group_shared_report") await this.checkGroup((value ?? []) as readonly number[]);
    await this.unitOfWork.run(businessId, async ({ records, audit }) => {
      const before = await records.lock(businessId, businessId);
      if (!before) throw new BusinessNotFound(`there is no business ${businessId}`);
      if (isSameJson(before.fields[flag], value)) return;
      const { fields } = await records.setOperatorFlag(businessId, flag, value);
      const entry = { resource: "flags", recordId: businessId, change: "changed" } as const;
      await audit.add({ businessId, ...bySystem }, [{ ...entry, before: before.fields, after: fields }]);
    });
  }

  private async checkGroup(businesses: readonly number[]): Promise<void> {
    for (const id of businesses) {
      if (!(await this.reads.find(id, id))) throw new BusinessNotFound(`there is no business ${id} for the group`);
    }
  }
}
