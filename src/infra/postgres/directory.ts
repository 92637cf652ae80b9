import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Cell, Queries, Statement } from "./database.ts";
import type { NameKind } from "./names.ts";
import { isOwnTrouble } from "./own-trouble.ts";

/**
 * Where a business lives. A held one is on its way to another cell: nothing of it is read or written meanwhile. One that
 * moves may be in the other cell at any moment: each time the directory is asked.
 */
export interface Place {
  readonly cell: string;
  readonly isHeld: boolean;
  readonly isMoving: boolean;
}

interface KnownPlace extends Place {
  /** Of the change that made it so. */
  readonly version: number;
}

const columns = `cell, state = 'held' as "isHeld", state = 'moving' as "isMoving"`;

const changes: Statement = {
  name: "directory_changes",
  text: `
    select business_id as "businessId", ${columns}, version from directory_businesses
    where version > $1 order by version limit 10000`,
};

const placeOf: Statement = {
  name: "directory_place",
  text: `select ${columns}, version from directory_businesses where business_id = $1`,
};

/** For a business that has left its cell, whose move was cut off before it said so here. */
const arrive: Statement = {
  name: "directory_arrive",
  text: `
    with ended as (
      update business_moves set step = 'moved', moved_at = now()
      where business_id = $1 and from_cell = $2 and step = 'switching'
      returning business_id, to_cell
    )
    update directory_businesses as known set cell = ended.to_cell, state = 'active' from ended
    where known.business_id = ended.business_id`,
};

const place: Statement = {
  name: "directory_place_new",
  text: "insert into directory_businesses (business_id, cell) values ($1, $2)",
};

const cellsMade: Statement = { name: "directory_cells", text: "select name from directory_cells" };

/** Where the first cell's own tables have a name; it lives there, unless the business moved away meanwhile. */
const own: Readonly<Record<NameKind, string>> = {
  key: "select business_id from app_keys where digest = decode($2, 'hex')",
  session: "select business_id from sessions where digest = decode($2, 'hex')",
  invitation: "select business_id from credentials where invitation_digest = decode($2, 'hex')",
  email: "select business_id from credentials where email = lower($2)",
  sender: `
    select business_id from senders
    where provider = split_part($2, ' ', 1) and platform_id = substr($2, strpos($2, ' ') + 1)`,
  media: "select business_id from media_files where name = $2",
};

/** What names are compared as; e-mails by the database's rules, as in the table of credentials. */
const asKept = (kind: NameKind, name: string): string => (kind === "email" ? `lower(${name})` : name);

const ownerOf = (kind: NameKind): Statement => ({
  name: `directory_owner_of_${kind}`,
  text: `
    select business_id as "businessId" from (
      select business_id, 1 as place from directory_names where kind = $1 and name = ${asKept(kind, "$2")}
      union all
      select business_id, 2 from (${own[kind]}) as own
    ) as found
    order by place limit 1`,
});

const owners = Object.fromEntries(
  Object.keys(own).map((kind) => [kind, ownerOf(kind as NameKind)]),
) as unknown as Readonly<Record<NameKind, Statement>>;

/** Those that must be nobody else's, which their claims guard; the others are random. */
const unique: ReadonlySet<NameKind> = new Set<NameKind>(["email", "sender"]);

/** Rows of the first cell that another business of it has, with the place in the list that was asked for. */
const taken: Readonly<Partial<Record<NameKind, string>>> = {
  email: "select asked.place, business_id from asked join credentials on email = asked.name",
  sender: `
    select asked.place, business_id from asked
    join senders on provider = split_part(asked.name, ' ', 1)
      and platform_id = substr(asked.name, strpos(asked.name, ' ') + 1)`,
};

const noRows = "select 0 as place, 0 as business_id where false";

/**
 * A name is claimed again by the business that has it. What the first cell's tables have of a business that moved away is
 * not in the way. The time of a claim tells it from a later one.
 */
const claimOf = (kind: NameKind): Statement => ({
  name: `directory_claim_${kind}`,
  text: `
    with asked as (
      select min(place) as place, ${asKept(kind, "name")} as name
      from unnest($3::text[]) with ordinality as given(name, place) group by 2
    ),
    taken as (
      select place from (${taken[kind] ?? noRows}) as other
      where business_id <> $2 and not exists (
        select 1 from directory_businesses as moved where moved.business_id = other.business_id and moved.cell <> $5)
    ),
    claimed as (
      insert into directory_names as known (kind, name, business_id, ends_at, is_checked, claimed_at)
      select $1, name, $2, $4::timestamptz, ${!unique.has(kind)}, clock_timestamp() from asked
      where place not in (select place from taken)
      order by name
      on conflict (kind, name) do update
      set claimed_at = excluded.claimed_at, is_checked = excluded.is_checked, ends_at = excluded.ends_at
      where known.business_id = excluded.business_id
      returning name, claimed_at, xmax = 0 as is_new
    )
    select asked.place::integer, asked.name, claimed.claimed_at::text as "claimedAt", claimed.is_new as "isNew"
    from asked left join claimed on claimed.name = asked.name`,
});

const claims = Object.fromEntries(
  Object.keys(own).map((kind) => [kind, claimOf(kind as NameKind)]),
) as unknown as Readonly<Record<NameKind, Statement>>;

/** Until it is gone, or found to be in its cell after all. */
const doubt: Statement = {
  name: "directory_doubt",
  text: `
    with doubted as (
      update directory_names set is_checked = false
      where business_id = $1 and kind = $2
        and name in (select case when $2 = 'email' then lower(given) else given end from unnest($3::text[]) as given)
      returning name, claimed_at
    )
    select name, claimed_at::text as "claimedAt" from doubted`,
};

const drop: Statement = {
  name: "directory_drop",
  text: `
    delete from directory_names as known using unnest($3::text[], $4::timestamptz[]) as gone(name, claimed_at)
    where known.business_id = $1 and known.kind = $2 and known.name = gone.name and known.claimed_at = gone.claimed_at`,
};

const unchecked: Statement = {
  name: "directory_unchecked",
  text: `
    select business_id as "businessId", kind, name, claimed_at::text as "claimedAt" from directory_names
    where not is_checked and claimed_at < now() - make_interval(secs => $1) order by claimed_at limit 200`,
};

const confirm: Statement = {
  name: "directory_confirm",
  text: `
    update directory_names set is_checked = true
    where kind = $1 and name = $2 and business_id = $3 and claimed_at = $4::timestamptz`,
};

const forgetEnded: Statement = {
  name: "directory_forget_ended",
  text: `
    delete from directory_names where (kind, name) in (
      select kind, name from directory_names where ends_at < now() - interval '1 day' limit 10000)
    returning 1`,
};

const written: Readonly<Partial<Record<NameKind, Statement>>> = {
  email: { name: "email_is_written", text: "select 1 from credentials where business_id = $1 and email = $2" },
  sender: {
    name: "sender_is_written",
    text: `
      select 1 from senders
      where business_id = $1 and provider = split_part($2, ' ', 1) and platform_id = substr($2, strpos($2, ' ') + 1)`,
  },
};

export interface ClaimedName {
  readonly name: string;
  /** As the database has it, to the microsecond. */
  readonly claimedAt: string;
}

interface ClaimRow {
  readonly place: number;
  readonly name: string;
  readonly claimedAt: string | null;
  readonly isNew: boolean | null;
}

interface DirectorySettings {
  /** The name of the cell that has the directory. */
  readonly first: string;
  /** Milliseconds between two looks for businesses that were moved. */
  readonly lookEveryMs?: number;
  /** Names whose businesses are remembered. */
  readonly remembered?: number;
}

/** Milliseconds for which a process takes a name for a business's without asking. Keys and the like never pass to others. */
const lifeMs = (kind: NameKind): number =>
  ({ email: 0, sender: 2_000 })[kind as "email" | "sender"] ?? Number.POSITIVE_INFINITY;

/** Which business a name belongs to, and which cell a business lives in: tables of the first cell, cached here. */
export class Directory {
  private readonly places = new Map<number, KnownPlace>();
  /** The cells by the changes that were read: questions in between may know of a switch earlier. */
  private readonly seen = new Map<number, string>();
  private readonly owners: LRUCache<string, { readonly businessId: number; readonly at: number }>;
  private readonly looks = new Map<number, Promise<Place>>();
  private readonly moveHearers: ((businessId: number) => void)[] = [];
  private readonly stopping = new AbortController();
  private version = 0;
  private reading: Promise<void> | undefined;
  private isWantedAgain = false;

  /** @param table - the first cell, on connections of the directory's own */
  constructor(
    private readonly table: Cell,
    private readonly settings: DirectorySettings,
    private readonly onTrouble: (error: unknown) => void,
  ) {
    this.owners = new LRUCache({ max: settings.remembered ?? 100_000 });
  }

  /** True once all places have been read. */
  isKnown = false;

  /** Resolves when the first attempt to read all places has ended. From then on changes are looked for. */
  async start(): Promise<void> {
    await this.look();
    void this.keepLooking();
  }

  stop(): void {
    this.stopping.abort();
  }

  /** Notes that a business that has left a cell lives where it was going, unless that was noted before. */
  async arrive(businessId: number, from: string): Promise<void> {
    await this.table.rows(arrive, [businessId, from]);
  }

  /** Hears of businesses that live in another cell from now on. */
  onMove(hearer: (businessId: number) => void): void {
    this.moveHearers.push(hearer);
  }

  /** Reads what has changed since the last look; never rejects. Of looks that overlap one follows for all. */
  look(): Promise<void> {
    this.isWantedAgain = true;
    this.reading ??= this.readAll().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** Without asking the database; undefined where it would have to be asked. */
  known(businessId: number): Place | undefined {
    const place = this.places.get(businessId);
    return place?.isMoving ? undefined : place;
  }

  find(businessId: number): Promise<Place> {
    const known = this.places.get(businessId);
    // A question that is under way may have been answered before the move.
    if (known?.isMoving) return this.ask(businessId);
    if (known) return Promise.resolve(known);
    const asked = this.looks.get(businessId) ?? this.ask(businessId).finally(() => void this.looks.delete(businessId));
    this.looks.set(businessId, asked);
    return asked;
  }

  async place(businessId: number, cell: string): Promise<void> {
    if (cell !== this.settings.first) await this.table.rows(place, [businessId, cell]);
    this.places.set(businessId, this.unmoved(cell));
  }

  /** Of the cells in the settings, those that were made, the first one included. */
  async made(): Promise<readonly string[]> {
    const rows = await this.table.rows<{ name: string }>(cellsMade, []);
    return [this.settings.first, ...rows.map(({ name }) => name)];
  }

  async ownerOf(kind: NameKind, name: string): Promise<number | undefined> {
    const key = `${kind} ${name}`;
    const known = this.owners.get(key);
    if (known && performance.now() - known.at < lifeMs(kind)) return known.businessId;
    try {
      const [found] = await this.table.rows<{ businessId: number }>(owners[kind], [kind, name]);
      if (found) this.owners.set(key, { businessId: found.businessId, at: performance.now() });
      return found?.businessId;
    } catch (error) {
      // While the directory's cell is away, what was so a while ago is better than nothing.
      if (known && isOwnTrouble(error)) return known.businessId;
      throw error;
    }
  }

  /** A business of the first cell has its keys and the like in the tables there, where they are found. */
  async claim(
    businessId: number,
    kind: NameKind,
    names: readonly string[],
    endsAt?: Date,
  ): Promise<{ readonly refused: readonly string[]; readonly added: readonly ClaimedName[] }> {
    const { first } = this.settings;
    if (!unique.has(kind) && (await this.find(businessId)).cell === first) return { refused: [], added: [] };
    const rows = await this.table.rows<ClaimRow>(claims[kind], [kind, businessId, names, endsAt ?? null, first]);
    const refused = rows.filter(({ claimedAt }) => claimedAt === null).map(({ place }) => names[place - 1] as string);
    const added = rows.flatMap(({ name, claimedAt, isNew }) => (claimedAt && isNew ? [{ name, claimedAt }] : []));
    return { refused, added };
  }

  doubt(businessId: number, kind: NameKind, names: readonly string[]): Promise<ClaimedName[]> {
    return this.table.rows<ClaimedName>(doubt, [businessId, kind, names]);
  }

  /** Unless they were claimed again meanwhile. */
  async drop(businessId: number, kind: NameKind, claimed: readonly ClaimedName[]): Promise<void> {
    const values = [claimed.map(({ name }) => name), claimed.map(({ claimedAt }) => claimedAt)];
    await this.table.rows(drop, [businessId, kind, ...values]);
    for (const { name } of claimed) this.owners.delete(`${kind} ${name}`);
  }

  /**
   * Looks whether names that were claimed a while ago were written, and drops those that were not: their transactions
   * failed. Forgets sessions that are over.
   *
   * @param seconds - more than a transaction lasts
   */
  async sweep(cellOf: (businessId: number) => Queries, seconds = 600): Promise<void> {
    while ((await this.table.rows(forgetEnded, [])).length > 0 && !this.stopping.signal.aborted);
    type Unchecked = ClaimedName & { readonly businessId: number; readonly kind: NameKind };
    for (const claimed of await this.table.rows<Unchecked>(unchecked, [seconds])) {
      const { businessId, kind, name, claimedAt } = claimed;
      const asked = written[kind];
      // A cell that is away is asked the next time.
      const found = asked ? await cellOf(businessId).rows(asked, [businessId, name]).catch(this.onTrouble) : [{}];
      if (!found) continue;
      if (found.length > 0) await this.table.rows(confirm, [kind, name, businessId, claimedAt]);
      else await this.drop(businessId, kind, [claimed]);
    }
  }

  private async ask(businessId: number): Promise<Place> {
    const [row] = await this.table.rows<KnownPlace>(placeOf, [businessId]);
    const found = row ?? this.unmoved(this.settings.first);
    // A look that ended meanwhile may know better.
    const known = this.places.get(businessId);
    if (known && known.version > found.version) return known;
    this.places.set(businessId, found);
    return found;
  }

  private unmoved(cell: string): KnownPlace {
    return { cell, isHeld: false, isMoving: false, version: 0 };
  }

  private async readAll(): Promise<void> {
    try {
      while (this.isWantedAgain && !this.stopping.signal.aborted) {
        this.isWantedAgain = false;
        while ((await this.readSome()) > 0);
        this.isKnown = true;
      }
    } catch (error) {
      if (!this.stopping.signal.aborted) this.onTrouble(error);
    }
  }

  private async readSome(): Promise<number> {
    type Changed = KnownPlace & { readonly businessId: number };
    const rows = await this.table.rows<Changed>(changes, [this.version]);
    for (const { businessId, cell, isHeld, isMoving, version } of rows) {
      const before = this.seen.get(businessId) ?? this.settings.first;
      this.version = version;
      this.places.set(businessId, { cell, isHeld, isMoving, version });
      this.seen.set(businessId, cell);
      if (this.isKnown && before !== cell) {
        for (const hear of this.moveHearers) hear(businessId);
      }
    }
    return rows.length;
  }

  private async keepLooking(): Promise<void> {
    const { signal } = this.stopping;
    while (await sleep(this.settings.lookEveryMs ?? 1_000, true, { signal, ref: false }).catch(() => false)) {
      await this.look();
    }
  }
}
