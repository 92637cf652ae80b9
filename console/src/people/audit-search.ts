import { dayParam, idParam, oneOf, said } from "../shared/search-params.ts";

/** The resources that the filter offers. Entries of other resources are shown only without the filter. */
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

/** Keeps `record` only together with a valid `resource`, since the service refuses `record` alone. */
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
