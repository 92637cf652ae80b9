import { setTimeout as sleep } from "node:timers/promises";
import type { Cell } from "../database.ts";
import { statement } from "../statement.ts";

export interface Location {
  readonly cell: string;
  /** If true, the business may be in another cell at any moment: the directory must be asked each time. */
  readonly isMoving: boolean;
}

interface VersionedLocation extends Location {
  /** A later change of the table has a higher version. */
  readonly version: number;
}

const columns = `cell, state = 'moving' as "isMoving"`;

const changes = statement("directory_changes")`
  select business_id as "businessId", ${columns}, version from directory_businesses
  where version > $1 order by version limit 10000`;

const locationOf = statement("directory_place")`
  select ${columns}, version from directory_businesses where business_id = $1`;

const finishMove = statement("directory_arrive")`
  with ended as (
    update business_moves set step = 'moved', moved_at = now()
    where business_id = $1 and from_cell = $2 and step = 'switching'
    returning business_id, to_cell
  )
  update directory_businesses as known set cell = ended.to_cell, state = 'active' from ended
  where known.business_id = ended.business_id`;

const add = statement("directory_place_new")`insert into directory_businesses (business_id, cell) values ($1, $2)`;

const cellsMade = statement("directory_cells")`select name from directory_cells`;

export interface LocationSettings {
  /** The name of the first cell. A business without a row lives there. */
  readonly first: string;
  /** Milliseconds between two reads of the changes; 1,000 unless given. */
  readonly lookEveryMs?: number;
}

/** The cell of each business, from the table `directory_businesses` and a cache of it. */
export class Locations {
  private readonly cache = new Map<number, VersionedLocation>();
  /**
   * The cell of each business as `refresh` last read it, or as this process first found it. If `refresh` finds a
   * changed cell, it calls the listeners of `onMove`. It cannot compare with the cache, because `find` may already have
   * stored the new cell there.
   */
  private readonly cells = new Map<number, string>();
  private readonly pending = new Map<number, Promise<Location>>();
  private readonly moveListeners: ((businessId: number) => void)[] = [];
  private readonly stopping = new AbortController();
  private version = 0;
  private refreshing: Promise<void> | undefined;
  private isStale = false;

  constructor(
    private readonly table: Cell,
    private readonly settings: LocationSettings,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** True once the whole table has been read. */
  isLoaded = false;

  /** Resolves after the first attempt to read the table; later changes are read in the background. */
  async start(): Promise<void> {
    await this.refresh();
    void this.refreshRegularly();
  }

  stop(): void {
    this.stopping.abort();
  }

  /** Completes the move of a business that has left `from`, if the move broke off before the directory was updated. */
  async finishMove(businessId: number, from: string): Promise<void> {
    await this.table.rows(finishMove, [businessId, from]);
  }

  onMove(listener: (businessId: number) => void): void {
    this.moveListeners.push(listener);
  }

  /** Reads what has changed; never rejects. All calls during a read wait for one more read, which they share. */
  refresh(): Promise<void> {
    this.isStale = true;
    this.refreshing ??= this.readAll().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** The cell that this process last read for the business. The business may have moved since. */
  lastKnown(businessId: number): string | undefined {
    return this.cache.get(businessId)?.cell;
  }

  /** From memory; undefined if the database must be asked. */
  cached(businessId: number): Location | undefined {
    const location = this.cache.get(businessId);
    return location?.isMoving ? undefined : location;
  }

  find(businessId: number): Promise<Location> {
    const cached = this.cache.get(businessId);
    // Begins a new read, since a pending read may return the location before the move.
    if (cached?.isMoving) return this.read(businessId);
    if (cached) return Promise.resolve(cached);
    const read = this.pending.get(businessId) ?? this.read(businessId).finally(() => this.pending.delete(businessId));
    this.pending.set(businessId, read);
    return read;
  }

  async add(businessId: number, cell: string): Promise<void> {
    if (cell !== this.settings.first) await this.table.rows(add, [businessId, cell]);
    this.cache.set(businessId, unmoved(cell));
    this.cells.set(businessId, cell);
  }

  /** The names of the cells that have been created, the first one included. */
  async cellsMade(): Promise<readonly string[]> {
    const rows = await this.table.rows<{ name: string }>(cellsMade, []);
    return [this.settings.first, ...rows.map(({ name }) => name)];
  }

  private async read(businessId: number): Promise<Location> {
    const [row = unmoved(this.settings.first)] = await this.table.rows<VersionedLocation>(locationOf, [businessId]);
    // `refresh` may have read a newer location meanwhile.
    const cached = this.cache.get(businessId);
    if (cached && cached.version > row.version) return cached;
    this.cache.set(businessId, row);
    if (!this.cells.has(businessId)) this.cells.set(businessId, row.cell);
    return row;
  }

  private async readAll(): Promise<void> {
    try {
      while (this.isStale && !this.stopping.signal.aborted) {
        this.isStale = false;
        while ((await this.readChanges()) > 0);
        this.isLoaded = true;
      }
    } catch (error) {
      if (!this.stopping.signal.aborted) this.onError(error);
    }
  }

  private async readChanges(): Promise<number> {
    type Changed = VersionedLocation & { readonly businessId: number };
    const rows = await this.table.rows<Changed>(changes, [this.version]);
    for (const { businessId, ...location } of rows) {
      // A business that is not in `cells` yet does not count as moved: none of its clients is connected here.
      const before = this.cells.get(businessId) ?? location.cell;
      this.version = location.version;
      this.cache.set(businessId, location);
      this.cells.set(businessId, location.cell);
      if (this.isLoaded && before !== location.cell) for (const listener of this.moveListeners) listener(businessId);
    }
    return rows.length;
  }

  private async refreshRegularly(): Promise<void> {
    const { signal } = this.stopping;
    while (await sleep(this.settings.lookEveryMs ?? 1_000, true, { signal, ref: false }).catch(() => false)) {
      await this.refresh();
    }
  }
}

const unmoved = (cell: string): VersionedLocation => ({ cell, isMoving: false, version: 0 });
