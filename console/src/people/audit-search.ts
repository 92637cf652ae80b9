import { dayParam, idParam, oneOf, said } from "../shared/search-params.ts";

/** Resources that users change. Entries of other resources are found without this filter. */
export const resources = [
  "users",
  "user-invitations",
  "user-passwords",
  "user-sessions",
  "departments",
  "business",
  "flags",
  "tags",
  "quick-replies",
  "steps",
  "templates",
  "articles",
  "extras",
  "zones",
  "branches",
  "drivers",
  "senders",
  "sender-pairings",
  "ad-accounts",
  "app-keys",
  "webhooks",
  "contacts",
] as const;
export type Resource = (typeof resources)[number];

export interface AuditSearch {
  readonly resource?: Resource;
  readonly record?: number;
  readonly user?: number;
  readonly from?: string;
  readonly to?: string;
}

/** `record` requires `resource`. */
export function auditSearch({ resource, record, user, from, to }: Record<string, unknown>): AuditSearch {
  const known = oneOf(resources, resource);
  return said<AuditSearch>({
    resource: known,
    record: known && idParam(record),
    user: idParam(user),
    from: dayParam(from),
    to: dayParam(to),
  });
}
