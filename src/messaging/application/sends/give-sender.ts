import { bySystem, type NoteInAudit } from "../../../kernel/audit.ts";
import type { UnitOfWork } from "../../../kernel/unit-of-work.ts";
import type { Sender, SenderDirectory, StoredSender } from "./ports.ts";

/** An operator adds a sender to a business, or replaces a sender's token. The audit entry does not have the token. */
export class GiveSender {
  constructor(
    private readonly unitOfWork: UnitOfWork<{
      readonly senders: Pick<SenderDirectory, "add">;
      readonly note: NoteInAudit;
    }>,
  ) {}

  /** Rejects with `BusinessNotFound` or `SenderOfAnotherBusiness`. */
  execute(businessId: number, sender: Omit<Sender, "id">): Promise<StoredSender> {
    return this.unitOfWork.run(businessId, async ({ senders, note }) => {
      const stored = await senders.add(businessId, sender);
      const { id: recordId, wasThere, shown } = stored;
      const change = wasThere ? "changed" : "created";
      const entry = { resource: "senders", recordId, change, before: wasThere ? shown : null, after: shown } as const;
      await note(businessId, bySystem, [entry]);
      return stored;
    });
  }
}
