import type { IncomingHttpHeaders } from "node:http";
import { ifMatchOf } from "../../../infra/http/entity-tags.ts";
import type { KeyCaller, UserCaller } from "../../../infra/http/routing/caller.ts";
import type { Dialect, InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { problem } from "../../../infra/http/routing/schema.ts";
import type { OrderEdit } from "../../application/edits/ports.ts";
import type { Actor, ExpectedVersion } from "../../domain/change.ts";
import type { OrderMovedOn } from "../../domain/failures.ts";

/** The input that all edits of an order have in common. */
export const editOf = (orderId: number, caller: Caller, headers: IncomingHttpHeaders): OrderEdit => ({
  businessId: caller.businessId,
  orderId,
  actor: actorOf(caller),
  expected: expectedVersion(headers),
});

type Caller = KeyCaller | UserCaller;

export const actorOf = (caller: Caller): Actor =>
  "userId" in caller ? { kind: "user", id: caller.userId } : { kind: "key", id: caller.keyId };

/** A rule for the API document of every order route that accepts `If-Match`. `number` is the number of the rule. */
export const versionRule = (number: string): Readonly<Record<string, string>> => ({
  [number]:
    "Every change increments the order's version. With `If-Match` and an `ETag` of the order (from a read or the last " +
    "change) the change is made only if the order still has that version; otherwise the answer is 412 and nothing is " +
    "changed. Without `If-Match` the change is always made.",
});

export const eventRule = (number: string): Readonly<Record<string, string>> => ({
  [number]:
    "Clients get `order:changed`: for orders of type app or web on the Pusher-protocol channel if one is configured, else " +
    "on the namespace `/realtime`.",
});

export const movedOn = {
  description: "The order is not at the version that `If-Match` names",
  schema: problem,
} as const;

/** Failure answers that the routes for an order's fields and for its lines have in common. */
export const editDialect = {
  invalid_input: (error) => [400, { message: error.message }],
  order_moved_on: () => [412, { message: "La orden cambió" }],
} as const satisfies Pick<Dialect<InvalidInput | OrderMovedOn>, "invalid_input" | "order_moved_on">;

export const editing = { tag: "Orders", auth: "key-or-token", scope: "orders", conditional: true } as const;

export const etagOf = ({ version }: { readonly version: number }) => ({ ETag: `"v${version}"` });

/** Describes `etagOf` in the API document. */
export const etagHeader = { ETag: 'The version of the order: `"v7"`' } as const;

const largestVersion = 2 ** 31 - 1;

/** The versions that `If-Match` names. Malformed tags match none. */
function expectedVersion(headers: IncomingHttpHeaders): ExpectedVersion {
  const tags = ifMatchOf(headers);
  if (tags === null || tags === "any") return tags;
  return tags.flatMap((tag) => {
    const version = Number(/^"v([1-9]\d*)"$/.exec(tag)?.[1] ?? 0);
    return version >= 1 && version <= largestVersion ? [version] : [];
  });
}
