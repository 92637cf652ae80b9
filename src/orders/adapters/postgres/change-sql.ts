/** What the history says of a change: whose rows it is about, what it is called, who made it, and what changed. */
interface Note {
  /** `changed` has the order's `id`, `version` and `updated_at`. */
  readonly from: string;
  readonly action: string;
  /** The kind of the actor, and its id. */
  readonly actor: readonly [string, string];
  /** An object. */
  readonly changes: string;
}

/** The CTE `noted`, which writes a change of an order of the business $1 into its history. */
export const noting = ({ from, action, actor: [kind, id], changes }: Note): string => `
    noted as (
      insert into order_changes (business_id, order_id, version, action, actor, actor_id, at, changes)
      select $1, changed.id, changed.version, ${action}, ${kind}, ${id}, changed.updated_at, ${changes}
      from ${from}
    )`;

/** Of columns of `held`, as they were, and of `changed`: those that differ, by the names that the history has for them. */
export const differences = (columns: Readonly<Record<string, string>>): string => `
  (select coalesce(jsonb_object_agg(name, jsonb_build_object('from', was, 'to', became)), '{}')
   from (values ${Object.entries(columns)
     .map(([name, column]) => `('${name}', to_jsonb(held.${column}), to_jsonb(changed.${column}))`)
     .join(", ")}) as field (name, was, became)
   where was is distinct from became)`;
