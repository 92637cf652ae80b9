import { maxId } from "../../kernel/ids.ts";
import { ReportNotShared, ReportTooLarge } from "./failures.ts";

/** Businesses that share one report, at most. */
export const largestGroup = 100;

/**
 * The businesses that the feature flag `group_shared_report` lists, each once, in its order: the root is among them
 * only when it is listed itself. Throws `ReportNotShared` for anything but a list of ids, `ReportTooLarge`.
 */
export function groupOf(flag: unknown): number[] {
  if (!Array.isArray(flag)) throw new ReportNotShared("no group");
  const ids = flag.map((id: unknown) => (typeof id === "string" && /^\d{1,16}$/.test(id) ? Number(id) : id));
  const valid = ids.filter(
    (id): id is number => Number.isInteger(id) && (id as number) >= 1 && (id as number) <= maxId,
  );
  const group = [...new Set(valid)];
  if (group.length === 0) throw new ReportNotShared("an empty group");
  if (group.length > largestGroup) throw new ReportTooLarge("businesses", largestGroup);
  return group;
}
