import type { EventFeed, LoggedEvent } from "../../kernel/events.ts";
import type { UnitOfWork } from "../../kernel/unit-of-work.ts";
import type { Actor } from "../domain/records.ts";
import type { RecordStores, Reporting } from "./ports.ts";

/** Runs `work` and audits its `relatedChanges` in one transaction. Publishes the events after the commit. */
export async function inTransaction<Result, Store extends Reporting>(
  unitOfWork: UnitOfWork<RecordStores<Store>>,
  feed: Pick<EventFeed, "publish">,
  actor: Actor,
  work: (stores: RecordStores<Store>) => Promise<Result>,
): Promise<Result> {
  const { businessId } = actor;
  const { result, events } = await unitOfWork.run(businessId, async (stores) => {
    const result = await work(stores);
    await stores.audit.add(actor, (await stores.records.relatedChanges?.(businessId)) ?? []);
    const events: readonly LoggedEvent[] = (await stores.records.logEvents?.(businessId)) ?? [];
    return { result, events };
  });
  if (events.length > 0) feed.publish(events);
  return result;
}
