import { type NameKind, nameKinds } from "../claimed-names.ts";
import type { Statement } from "../database.ts";
import { statement } from "../statement.ts";

/** Finds a name in the first cell's own tables. The business may have moved away: its rows stay there for a day. */
const inFirstCell: Readonly<Record<NameKind, string>> = {
  key: "select business_id from app_keys where digest = decode($2, 'hex')",
  session: "select business_id from sessions where digest = decode($2, 'hex')",
  invitation: "select business_id from credentials where invitation_digest = decode($2, 'hex')",
  email: "select business_id from credentials where email = lower($2)",
  sender: `
    select business_id from senders
    where provider = split_part($2, ' ', 1) and platform_id = substr($2, strpos($2, ' ') + 1)`,
  media: "select business_id from media_files where name = $2",
};

/** Kinds for which a user could choose a name that another business has. The other kinds are random. */
export const chosenKinds: ReadonlySet<NameKind> = new Set<NameKind>(["email", "sender"]);

/** Finds the names of the CTE `asked` that are in the first cell's tables. `place` is a name's position in `$3`. */
const takenInFirstCell: Readonly<Partial<Record<NameKind, string>>> = {
  email: "select asked.place, business_id from asked join credentials on email = asked.name",
  sender: `
    select asked.place, business_id from asked
    join senders on provider = split_part(asked.name, ' ', 1)
      and platform_id = substr(asked.name, strpos(asked.name, ' ') + 1)`,
};

const noRows = "select 0 as place, 0 as business_id where false";

/** E-mails are compared in lower case, as in the table `credentials`. */
const comparable = (kind: NameKind, name: string): string => (kind === "email" ? `lower(${name})` : name);

const byKind = (statement: (kind: NameKind) => Statement): Readonly<Record<NameKind, Statement>> =>
  Object.fromEntries(nameKinds.map((kind) => [kind, statement(kind)])) as Record<NameKind, Statement>;

export const businessOf = byKind((kind) => ({
  name: `directory_owner_of_${kind}`,
  text: `
    select business_id as "businessId" from (
      select business_id, 1 as place from directory_names where kind = $1 and name = ${comparable(kind, "$2")}
      union all
      select business_id, 2 from (${inFirstCell[kind]}) as own
    ) as found
    order by place limit 1`,
}));

/**
 * A business may claim its own name again; `claimed_at` then tells the two claims apart. Rows that a business left in
 * the first cell when it moved away do not block a claim.
 */
export const claim = byKind((kind) => ({
  name: `directory_claim_${kind}`,
  text: `
    with asked as (
      select min(place) as place, ${comparable(kind, "name")} as name
      from unnest($3::text[]) with ordinality as given(name, place) group by 2
    ),
    taken as (
      select place from (${takenInFirstCell[kind] ?? noRows}) as other
      where business_id <> $2 and not exists (
        select 1 from directory_businesses as moved where moved.business_id = other.business_id and moved.cell <> $5)
    ),
    claimed as (
      insert into directory_names as known (kind, name, business_id, ends_at, is_checked, claimed_at)
      select $1, name, $2, $4::timestamptz, ${!chosenKinds.has(kind)}, clock_timestamp() from asked
      where place not in (select place from taken)
      order by name
      on conflict (kind, name) do update
      set claimed_at = excluded.claimed_at, is_checked = excluded.is_checked, ends_at = excluded.ends_at
      where known.business_id = excluded.business_id
      returning name, claimed_at, xmax = 0 as is_new
    )
    select asked.place::integer, asked.name, claimed.claimed_at::text as "claimedAt", claimed.is_new as "isNew"
    from asked left join claimed on claimed.name = asked.name`,
}));

/**
 * Marks names that are to be released, so that the sweep finds them if they are not removed. Sets `claimed_at` to the
 * current time, so that the sweep skips them for a while: the transaction that releases them may still run.
 */
export const markUnchecked = statement("directory_doubt")`
  with changed as (
    update directory_names set is_checked = false, claimed_at = now()
    where business_id = $1 and kind = $2
      and name in (select case when $2 = 'email' then lower(given) else given end from unnest($3::text[]) as given)
    returning name, claimed_at
  )
  select name, claimed_at::text as "claimedAt" from changed`;

export const remove = statement("directory_drop")`
  delete from directory_names as known using unnest($3::text[], $4::timestamptz[]) as gone(name, claimed_at)
  where known.business_id = $1 and known.kind = $2 and known.name = gone.name and known.claimed_at = gone.claimed_at`;

export const uncheckedAtOnce = 200;

/** The next unchecked names. The last name of the previous call had the time `$2`, the kind `$3` and the name `$4`. */
export const unchecked = statement("directory_unchecked")`
  select business_id as "businessId", kind, name, claimed_at::text as "claimedAt" from directory_names
  where not is_checked and claimed_at < now() - make_interval(secs => $1)
    and (claimed_at, kind, name) > ($2::timestamptz, $3, $4)
  order by claimed_at, kind, name limit ${uncheckedAtOnce}`;

export const markChecked = statement("directory_confirm")`
  update directory_names set is_checked = true
  where kind = $1 and name = $2 and business_id = $3 and claimed_at = $4::timestamptz`;

export const removeEnded = statement("directory_forget_ended")`
  delete from directory_names where (kind, name) in (
    select kind, name from directory_names where ends_at < now() - interval '1 day' limit 10000)
  returning 1`;

/** Whether the cell of a business has the row of a claimed name. */
export const isWritten: Readonly<Partial<Record<NameKind, Statement>>> = {
  email: statement("email_is_written")`select 1 from credentials where business_id = $1 and email = $2`,
  sender: statement("sender_is_written")`
      select 1 from senders
      where business_id = $1 and provider = split_part($2, ' ', 1) and platform_id = substr($2, strpos($2, ' ') + 1)`,
};
