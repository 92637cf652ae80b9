import type { IncomingHttpHeaders } from "node:http";
import { ifMatchOf } from "../../../infra/http/if-match.ts";
import type { ExpectedVersion } from "../../domain/change.ts";

/** The entity tag of an order at a version: `"v7"`. */
const tagOf = (version: number): string => `"v${version}"`;

/** The header that tells the version of an order. */
export const etagOf = ({ version }: { readonly version: number }): { readonly ETag: string } => ({
  ETag: tagOf(version),
});

/** As responses document it. */
export const etagHeader = { ETag: 'The version of the order: `"v7"`' } as const;

const largestVersion = 2 ** 31 - 1;

/** The versions that `If-Match` names. A tag that no order has matches none. */
export function expectedVersion(headers: IncomingHttpHeaders): ExpectedVersion {
  const tags = ifMatchOf(headers);
  if (tags === null || tags === "any") return tags;
  return tags.flatMap((tag) => {
    const version = Number(/^"v([1-9]\d*)"$/.exec(tag)?.[1] ?? 0);
    return version >= 1 && version <= largestVersion ? [version] : [];
  });
}
