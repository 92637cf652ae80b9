import { bySystem } from "../../kernel/audit.ts";
import { NoSuchBusiness } from "../domain/access.ts";
import type { KeyUnitOfWork, NewToken } from "./ports.ts";
import { shownKey } from "./shown-key.ts";

/** An operator creates a key for a business. */
export class IssueAppKey {
  constructor(
    private readonly unitOfWork: KeyUnitOfWork,
    private readonly newToken: NewToken,
  ) {}

  /** The new key, shown once; only its digest is stored. Rejects with `NoSuchBusiness`. */
  async execute(businessId: number, label: string): Promise<string> {
    const key = this.newToken("rk");
    await this.unitOfWork.run(businessId, async ({ keys, note }) => {
      const made = await keys.add(businessId, key, label);
      if (!made) throw new NoSuchBusiness(`there is no business ${businessId}`);
      const entry = { resource: "app-keys", recordId: made.id, change: "created" } as const;
      await note(businessId, bySystem, [{ ...entry, before: null, after: shownKey(made) }]);
    });
    return key;
  }
}
