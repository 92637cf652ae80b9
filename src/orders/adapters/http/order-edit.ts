import type { IncomingHttpHeaders } from "node:http";
import { ifMatchOf } from "../../../infra/http/entity-tags.ts";
import type { KeyCaller, UserCaller } from "../../../infra/http/routing/caller.ts";
import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { problem } from "../../../infra/http/routing/schema.ts";
import type { OrderEdit } from "../../application/edits/ports.ts";
import type { Actor, ExpectedVersion } from "../../domain/change.ts";
import type { OrderMovedOn } from "../../domain/failures.ts";

/** What all changes of an order ask for: whose it is, who makes them, and for which version of it. */
export const editOf = (orderId: number, caller: Caller, headers: IncomingHttpHeaders): OrderEdit => ({
  businessId: caller.businessId,
  orderId,
  actor: actorOf(caller),
  expected: expectedVersion(headers),
});

type Caller = KeyCaller | UserCaller;

export const actorOf = (caller: Caller): Actor =>
  "userId" in caller ? { kind: "user", id: caller.userId } : { kind: "key", id: caller.keyId };

/** What all changes of an order say of the version that they are made for. */
export const versionRule = (number: string): [number: string, rule: string] => [
  number,
  "Every change counts the order's version up. `If-Match` with an `ETag` of the order (as reading it or the last " +
    "change answered it) makes the change only if the order is still at that version: otherwise 412, and nothing is " +
    "changed. Without it the change is made whatever happened in between.",
];

/** How clients hear of a change. */
export const eventRule = (number: string): [number: string, rule: string] => [
  number,
  "Clients hear `order:changed`: for orders of type app or web on the Pusher-protocol channel where one is " +
    "configured, else on the namespace `/realtime`.",
];

export const movedOn = {
  description: "The order is not at the version that `If-Match` names",
  schema: problem,
} as const;

/** What all changes of an order answer alike. */
export const editDialect = {
  invalid_input: (error) => [400, { message: error.message }],
  order_moved_on: () => [412, { message: "La orden cambió" }],
} as const satisfies Pick<Dialect<InvalidInput | OrderMovedOn>, "invalid_input" | "order_moved_on">;

export const editing = { tag: "Orders", auth: "key-or-token", scope: "orders", conditional: true } as const;

/** The header that tells the version of an order. */
export const etagOf = ({ version }: { readonly version: number }) => ({ ETag: `"v${version}"` });

/** As responses document it. */
export const etagHeader = { ETag: 'The version of the order: `"v7"`' } as const;

const largestVersion = 2 ** 31 - 1;

/** The versions that `If-Match` names. A tag that no order has matches none. */
function expectedVersion(headers: IncomingHttpHeaders): ExpectedVersion {
  const tags = ifMatchOf(headers);
  if (tags === null || tags === "any") return tags;
  return tags.flatMap((tag) => {
    const version = Number(/^"v([1-9]\d*)"$/.exec(tag)?.[1] ?? 0);
    return version >= 1 && version <= largestVersion ? [version] : [];
  });
}
