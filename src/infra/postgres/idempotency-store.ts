import type {
  AnswerAbout,
  IdempotencyStore,
  KeyClaim,
  KeyedRequest,
  KeyState,
  StoredAnswer,
} from "../../kernel/idempotency.ts";
import { type Cells, inBatches } from "./cells.ts";
import { livesHere } from "./lives-here.ts";
import { statement } from "./statement.ts";

/** Older keys may be used again, even if they are not purged yet. */
const kept = "interval '24 hours'";

/** `<caller> <key>`: stored in place of the key if another caller of the business uses the same key. */
const apart = "$6 || ' ' || $3";

const digestOf = (key: string): string => `'erased ' || encode(sha256(convert_to(${key}, 'UTF8')), 'hex')`;

/**
 * When a contact is erased, this digest replaces the key in each of its rows of `idempotency_keys`, since clients put
 * names and numbers into keys. The digest includes the caller, so the same key of another caller has another digest.
 */
export const erasedKeyIn = (row: string): string =>
  digestOf(`case when starts_with(${row}.key, ${row}.caller || ' ') then ${row}.key
                 else coalesce(${row}.caller, '') || ' ' || ${row}.key end`);

/**
 * True if no row has the erased key yet. In rare races a caller's key is stored in two rows, and only one of these rows
 * can get the erased key.
 */
export const erasedKeyIsFree = (row: string): string => `not exists (
    select 1 from idempotency_keys as erased
    where erased.business_id = ${row}.business_id and erased.operation = ${row}.operation
      and erased.key = ${erasedKeyIn(row)})`;

/** Returns no row if another claim was committed after this statement began. The statement must then run again. */
const begin = statement("idempotency_begin")`
  with place as (
    select coalesce((
      select key from idempotency_keys
      where business_id = $1 and operation = $2 and created_at >= now() - ${kept} and key = ${digestOf(apart)}
    ), case when exists (
      select 1 from idempotency_keys
      where business_id = $1 and operation = $2 and created_at >= now() - ${kept}
        and (key = ${apart} or key = $3 and caller <> $6)
    ) then ${apart} else $3 end) as key
  ), claimed as (
    insert into idempotency_keys as known (business_id, operation, key, caller, request_digest, claim, lease_until)
    select $1, $2, key, $6, $4, gen_random_uuid(), now() + make_interval(secs => $5) from place
    on conflict (business_id, operation, key) do update
    set caller = excluded.caller, request_digest = excluded.request_digest, claim = excluded.claim,
        lease_until = excluded.lease_until, created_at = excluded.created_at, status = null, content_type = null, headers = null, body = null, contact_id = null
    where excluded.created_at - known.created_at > ${kept}
    returning claim, key
  )
  select claim, key, true as same_request, false as abandoned, null::integer as status, null::text as content_type,
         null::jsonb as headers, null::text as body
  from claimed
  union all
  select null, key, request_digest = $4, lease_until < now(), status, content_type, headers, body
  from idempotency_keys
  where business_id = $1 and operation = $2 and key = (select key from place) and created_at >= now() - ${kept}
    and not exists (select 1 from claimed)`;

/**
 * If the contact of a successful request is not found, it was erased meanwhile. Then headers and body are not stored.
 * The answer to a failed request is stored whole, since its contact may never have existed.
 */
const finish = statement("idempotency_finish")`
  with known as materialized (
    select case when $9::jsonb is null then 0 else lock_contact_spoken_of($1, $9) end as contact_id
  ),
  spoken as (select contact_id, contact_id is not null or $5::integer >= 400 as is_kept from known),
  erased as (
    select ${erasedKeyIn("claimed")} as key from idempotency_keys as claimed
    where business_id = $1 and operation = $2 and key = $3 and claim = $4 and ${erasedKeyIsFree("claimed")}
  )
  update idempotency_keys as known
  set status = $5, content_type = $6, contact_id = coalesce(spoken.contact_id, 0),
      key = case when is_kept then known.key else coalesce((select key from erased), known.key) end,
      headers = case when is_kept then $7::jsonb end, body = case when is_kept then $8::text end
  from spoken where business_id = $1 and operation = $2 and key = $3 and claim = $4`;

const release = statement("idempotency_release")`
  delete from idempotency_keys where business_id = $1 and operation = $2 and key = $3 and claim = $4`;

/** Checks the age twice, since a key may be claimed again after the inner query has found it. */
const purgeBatch = statement("idempotency_purge")`
  with purged as (
    delete from idempotency_keys
    where created_at < now() - ${kept} and (business_id, operation, key) in (
      select business_id, operation, key from idempotency_keys
      where created_at < now() - ${kept} and ${livesHere("business_id")} limit $1)
    returning 1)
  select count(*) as count from purged`;

const mostAttempts = 5;

interface Row {
  readonly claim: string | null;
  readonly key: string;
  readonly same_request: boolean;
  readonly abandoned: boolean;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: string | null;
}

export class PostgresIdempotencyStore implements IdempotencyStore {
  /** @param leaseSeconds - longer than any request takes: an older claim without an answer counts as abandoned */
  constructor(
    private readonly cells: Cells,
    private readonly leaseSeconds: number,
  ) {}

  async begin({ businessId, caller, operation, key, digest }: KeyedRequest): Promise<KeyState> {
    const values = [businessId, operation, key, digest, this.leaseSeconds, caller];
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      const [row] = await this.cells.of(businessId).rows<Row>(begin, values);
      if (row?.claim) return { kind: "claimed", claim: { businessId, operation, key: row.key, id: row.claim } };
      if (row) return stateOf(row);
    }
    throw new Error(`a key of ${operation} was neither free nor taken`);
  }

  async finish(claim: KeyClaim, answer: StoredAnswer, about: AnswerAbout | null = null): Promise<void> {
    const { status, contentType, headers, body } = answer;
    const values = [...valuesOf(claim), status, contentType, JSON.stringify(headers), body];
    await this.cells.of(claim.businessId).rows(finish, [...values, about && JSON.stringify(about)]);
  }

  async release(claim: KeyClaim): Promise<void> {
    await this.cells.of(claim.businessId).rows(release, valuesOf(claim));
  }

  /** Deletes expired keys of all businesses and returns their number. */
  purge(signal?: AbortSignal, batch = 5_000): Promise<number> {
    return inBatches(this.cells, { statement: purgeBatch, values: [batch], batch }, signal);
  }
}

const valuesOf = ({ businessId, operation, key, id }: KeyClaim): unknown[] => [businessId, operation, key, id];

function stateOf({ same_request, abandoned, status, content_type, headers, body }: Row): KeyState {
  if (!same_request) return { kind: "other-request" };
  if (status === null) return { kind: abandoned ? "abandoned" : "in-flight" };
  if (headers === null) return { kind: "erased", status };
  return { kind: "answered", answer: { status, contentType: content_type ?? "", headers, body } };
}
