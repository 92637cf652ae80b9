import { bySystem, type NoteInAudit } from "../../kernel/audit.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { AdCredentialStore } from "./ports.ts";

/** An operator gives a business access to the ad platform. The audit has an entry without the token. */
export class GiveAdAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork<{ readonly credentials: AdCredentialStore; readonly note: NoteInAudit }>,
  ) {}

  /**
   * If `defaultAccountId` is null, the stored default account stays. Returns the default account that is then in use.
   * Rejects with `BusinessNotFound`.
   */
  execute(businessId: number, token: string, defaultAccountId: string | null): Promise<string | null> {
    return this.unitOfWork.run(businessId, async ({ credentials, note }) => {
      const { id: recordId, before, after } = await credentials.put(businessId, token, defaultAccountId);
      const change = before ? "changed" : "created";
      await note(businessId, bySystem, [{ resource: "ad-accounts", recordId, change, before, after }]);
      return after.defaultAccountId;
    });
  }
}
