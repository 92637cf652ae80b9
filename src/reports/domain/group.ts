import { maxId } from "../../kernel/ids.ts";
import { ReportNotShared, ReportTooLarge } from "./failures.ts";

/** The most businesses that share one report. */
export const largestGroup = 100;

/**
 * The businesses in the feature flag `group_shared_report`, each once, in the flag's order. The root is among them only
 * if it is listed. Invalid ids are ignored. Throws `ReportNotShared` if the flag is not a list or has no valid id, and
 * `ReportTooLarge` if there are more than `largestGroup`.
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
