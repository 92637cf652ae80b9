/** The parts of a history entry, as SQL. */
interface HistoryEntry {
  /** The SQL after `from`. It must read `changed`, which has the order's `id`, `version` and `updated_at`. */
  readonly from: string;
  readonly action: string;
  /** The kind of the actor, and its id. */
  readonly actor: readonly [string, string];
  /** A JSON object. */
  readonly changes: string;
}

/** The CTE `noted`, which adds an entry to an order's history. The business is `$1`. */
export const writingHistory = ({ from, action, actor: [kind, id], changes }: HistoryEntry): string => `
    noted as (
      insert into order_changes (business_id, order_id, version, action, actor, actor_id, at, changes)
      select $1, changed.id, changed.version, ${action}, ${kind}, ${id}, changed.updated_at, ${changes}
      from ${from}
    )`;

/** The fields that differ between `held` (before) and `changed` (after), by their names in the history. */
export const differences = (columns: Readonly<Record<string, string>>): string => `
  (select coalesce(jsonb_object_agg(name, jsonb_build_object('from', was, 'to', became)), '{}')
   from (values ${Object.entries(columns)
     .map(([name, column]) => `('${name}', to_jsonb(held.${column}), to_jsonb(changed.${column}))`)
     .join(", ")}) as field (name, was, became)
   where was is distinct from became)`;
