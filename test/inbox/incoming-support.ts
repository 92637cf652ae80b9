import { PostgresIncomingStore } from "../../src/inbox/adapters/postgres/incoming/incoming-store.ts";
import type { IncomingNews } from "../../src/inbox/domain/incoming.ts";
import { noNews } from "../../src/inbox/public.ts";
import type { Queries } from "../../src/infra/postgres/database.ts";
import { type ChatChannelName, cloudChannel } from "../../src/kernel/channels.ts";
import { PostgresMediaErasure } from "../../src/messaging/adapters/postgres/media/media-erasure.ts";
import { PostgresCatalogOrders } from "../../src/orders/adapters/postgres/catalog-orders.ts";
import type { World } from "../support/world.ts";

/** The store for news from webhooks, with simple digests that need no secret. */
export const incomingOn = (queries: Queries, channel: ChatChannelName = cloudChannel): PostgresIncomingStore =>
  new PostgresIncomingStore(queries, channel, {
    digestOf: (name) => Buffer.from(name.padEnd(32)).subarray(0, 32),
    note: async () => {},
    files: new PostgresMediaErasure(queries),
    orders: new PostgresCatalogOrders(queries),
  });

/** Records a channel's news in a transaction. */
export const tellOn = (world: World, channel: ChatChannelName) => (news: Partial<IncomingNews>) =>
  world.database.transaction((queries) => incomingOn(queries, channel).record({ ...noNews, ...news }));
