import { PostgresIncomingQueue } from "../inbox/adapters/postgres/incoming/incoming-queue.ts";
import {
  type IncomingQueue,
  type KeepIncoming,
  partiesIn,
  type WebhookOrigin,
  type WebhookReaders,
} from "../inbox/public.ts";
import { sideBySide } from "../infra/postgres/cells/side-by-side.ts";
import { senderName } from "../infra/postgres/claimed-names.ts";
import type { Cell } from "../infra/postgres/database.ts";
import { isDatabaseFailure } from "../infra/postgres/database-failure.ts";
import type { DirectoryNames } from "../infra/postgres/directory/directory-names.ts";
import type { Locations } from "../infra/postgres/directory/locations.ts";
import { DatabaseUnavailable } from "../kernel/errors.ts";
import { groupBy } from "../kernel/group-by.ts";
import { sumsOf } from "../kernel/sums.ts";

type Keeper = Pick<KeepIncoming, "keep">;

interface BusinessLookup {
  readonly locations: Pick<Locations, "find">;
  readonly names: Pick<DirectoryNames, "businessOf">;
}

/** What a webhook is about, as far as its payload tells. */
interface Concerned {
  readonly senders: readonly string[];
  /** The webhook is about an account, whose senders may belong to businesses in several cells. */
  readonly isOfAccount: boolean;
}

/**
 * With several cells: stores a webhook in the cells of the businesses that it is about. A webhook about an account is
 * stored in all cells, and one without known senders in the first cell.
 */
export class RoutedIncoming implements Keeper {
  /** @param keepers - by the names of the cells, the first cell first */
  constructor(
    private readonly keepers: ReadonlyMap<string, Keeper>,
    private readonly directory: BusinessLookup,
    private readonly readers: WebhookReaders,
  ) {}

  async keep(payload: string, origin: WebhookOrigin): Promise<void> {
    const owner = origin.about?.owner;
    if (owner) return this.keepIn((await this.directory.locations.find(owner.businessId)).cell, payload, origin);
    const { senders, isOfAccount } = this.concerned(payload, origin);
    const names = senders.map((sender) => senderName(origin.channel, sender));
    const owners = await Promise.all(names.map((name) => this.directory.names.businessOf("sender", name)));
    const businesses = [...new Set(owners.filter((id) => id !== undefined))];
    const places = await Promise.all(businesses.map((id) => this.directory.locations.find(id)));
    const [only] = places;
    if (only && businesses.length === 1 && !isOfAccount) {
      return this.keepIn(only.cell, payload, { ...origin, businessId: businesses[0] as number });
    }
    const [first = ""] = this.keepers.keys();
    const cells = isOfAccount ? [...this.keepers.keys()] : [...new Set(places.map(({ cell }) => cell))];
    await Promise.all((cells.length > 0 ? cells : [first]).map((cell) => this.keepIn(cell, payload, origin)));
  }

  private async keepIn(cell: string, payload: string, origin: WebhookOrigin): Promise<void> {
    const keeper = this.keepers.get(cell);
    if (!keeper) throw new DatabaseUnavailable(new Error(`the settings name no cell ${cell}`), false);
    await keeper.keep(payload, origin);
  }

  /** An unreadable payload is stored like a webhook without senders. Its processing reports the error. */
  private concerned(payload: string, { channel, about }: WebhookOrigin): Concerned {
    try {
      const { senders, accounts } = partiesIn(this.readers[channel]?.(payload, about) ?? {});
      return { senders, isOfAccount: accounts.length > 0 };
    } catch {
      return { senders: [], isOfAccount: false };
    }
  }
}

type IncomingUpkeep = Pick<IncomingQueue, "counts" | "retryGivenUp" | "purge">;

/** Counts, retries and purges the stored webhooks of all cells. Cells that are down are left out if others answer. */
export function upkeepOf(queues: readonly IncomingUpkeep[]): IncomingUpkeep {
  const sum = (counts: readonly number[]) => counts.reduce((all, each) => all + each, 0);
  return {
    counts: async () => sumsOf(await sideBySide(queues, (queue) => queue.counts())),
    retryGivenUp: async () => sum(await sideBySide(queues, (queue) => queue.retryGivenUp())),
    purge: async (days) => sum(await sideBySide(queues, (queue) => queue.purge(days))),
  };
}

/**
 * Moves stored webhooks to the cells of moved businesses. A webhook may be stored twice, which is harmless. A target
 * that is down does not hold up the webhooks for other cells.
 */
export async function bringMovedIncoming(
  cells: ReadonlyMap<string, Cell>,
  directory: Pick<BusinessLookup, "locations">,
): Promise<void> {
  await sideBySide([...cells], async ([name, own]) => {
    const queue = new PostgresIncomingQueue(own);
    const waiting = new Set<number>();
    for (;;) {
      const webhooks = await queue.ofAway(waiting);
      if (webhooks.length === 0) return;
      const placed = [];
      for (const webhook of webhooks) {
        const { cell } = await directory.locations.find(webhook.businessId);
        const target = cells.get(cell);
        if (target && cell !== name) placed.push({ ...webhook, target });
        else waiting.add(webhook.businessId);
      }
      for (const [target, moved] of groupBy(placed, ({ target }) => target)) {
        try {
          await new PostgresIncomingQueue(target).bring(moved);
        } catch (error) {
          if (!isDatabaseFailure(error)) throw error;
          for (const { businessId } of moved) waiting.add(businessId);
          continue;
        }
        await queue.remove(moved.map(({ id }) => id));
      }
    }
  });
}
