/** Those that people change; the rest of what the audit keeps is found without the filter. */
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

const idOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined;

const dayOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/** Anything else in an address is ignored. A record counts only together with its resource. */
export function auditSearch({ resource, record, user, from, to }: Record<string, unknown>): AuditSearch {
  const known = resources.find((each) => each === resource);
  const search = {
    resource: known,
    record: known && idOf(record),
    user: idOf(user),
    from: dayOf(from),
    to: dayOf(to),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
