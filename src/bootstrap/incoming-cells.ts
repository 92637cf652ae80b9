import { PostgresWebhookQueue } from "../inbox/adapters/postgres/webhook-queue.ts";
import type { KeepWebhooks, WebhookReaders } from "../inbox/public.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell } from "../infra/postgres/database.ts";
import type { Directory } from "../infra/postgres/directory.ts";
import { senderName } from "../infra/postgres/names.ts";
import { DatabaseAway } from "../kernel/errors.ts";

type Keeper = Pick<KeepWebhooks, "keep">;
type Payload = Parameters<Keeper["keep"]>[0];
type Origin = Parameters<Keeper["keep"]>[1];

/** What a webhook is about, as far as it says so itself. */
interface Concerned {
  readonly senders: readonly string[];
  /** It is about an account, which businesses of several cells may have senders of. */
  readonly isOfAccount: boolean;
}

/** What platforms deliver, in an installation of several cells: kept in the cells of those whom it concerns. */
export class RoutedWebhooks implements Keeper {
  /** @param keepers - by the names of the cells, the directory's first */
  constructor(
    private readonly keepers: ReadonlyMap<string, Keeper>,
    private readonly directory: Pick<Directory, "find" | "ownerOf">,
    private readonly readers: WebhookReaders,
  ) {}

  async keep(payload: Payload, origin: Origin): Promise<void> {
    const owner = origin.about?.owner;
    if (owner) return this.keepIn((await this.directory.find(owner.businessId)).cell, payload, origin);
    const { senders, isOfAccount } = this.concerned(payload, origin);
    const names = senders.map((sender) => senderName(origin.channel, sender));
    const owners = await Promise.all(names.map((name) => this.directory.ownerOf("sender", name)));
    const businesses = [...new Set(owners.filter((id) => id !== undefined))];
    const places = await Promise.all(businesses.map((id) => this.directory.find(id)));
    const [only] = places;
    if (only && businesses.length === 1 && !isOfAccount) {
      return this.keepIn(only.cell, payload, { ...origin, businessId: businesses[0] as number });
    }
    // Nobody can tell then which part of it has to wait: the platform delivers it again.
    if (places.some(({ isHeld }) => isHeld)) throw new DatabaseAway(new Error("a business is being moved"), false);
    const [first = ""] = this.keepers.keys();
    const cells = isOfAccount ? [...this.keepers.keys()] : [...new Set(places.map(({ cell }) => cell))];
    await Promise.all((cells.length > 0 ? cells : [first]).map((cell) => this.keepIn(cell, payload, origin)));
  }

  private async keepIn(cell: string, payload: Payload, origin: Origin): Promise<void> {
    const keeper = this.keepers.get(cell);
    if (!keeper) throw new DatabaseAway(new Error(`the settings name no cell ${cell}`), false);
    await keeper.keep(payload, origin);
  }

  /** Of what cannot be read nothing is known; the work on it will say why. */
  private concerned(payload: Payload, { channel, about }: Origin): Concerned {
    try {
      const news = this.readers[channel]?.(payload, about) ?? {};
      const items = Object.values(news).flat() as readonly object[];
      const senders = items.flatMap((item) => ("sender" in item ? [String(item.sender)] : []));
      return { senders: [...new Set(senders)], isOfAccount: items.some((item) => !("sender" in item)) };
    } catch {
      return { senders: [], isOfAccount: false };
    }
  }
}

/** Brings webhooks of businesses that were moved after them. One that is brought twice is worked off twice, as any may be. */
export async function bringMovedWebhooks(
  parts: ReadonlyMap<string, Cells<Cell>>,
  directory: Pick<Directory, "find">,
): Promise<void> {
  for (const [name, part] of parts) {
    const queue = new PostgresWebhookQueue(part.directory);
    for (const { id, businessId, payload, channel, platformId, senderId } of await queue.ofAway()) {
      const { cell, isHeld } = await directory.find(businessId);
      const target = parts.get(cell);
      if (!target || isHeld || cell === name) continue;
      const owner = senderId === null ? null : { businessId, senderId };
      const about = platformId === null ? null : { platformId, owner };
      await new PostgresWebhookQueue(target.directory).keepAll([{ payload, origin: { channel, about, businessId } }]);
      await queue.remove([id]);
    }
  }
}
