import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { instantOf } from "../../../kernel/instants.ts";
import { scopes } from "../../../kernel/scopes.ts";
import { instantIn, type Zones } from "../../../kernel/zones.ts";
import { requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { ResourceRules } from "../../application/manage-records.ts";
import { RuleBroken } from "../../domain/records.ts";
import type { AppKey } from "./record.ts";

const notInFuture = "expires_at debe ser una fecha futura";
const moment = { type: ["string", "null"], format: "date-time" } as const;

export const appKeysOnWire: RecordOnWire<AppKey> = {
  path: "app-keys",
  entity: "app-key",
  one: "AppKey",
  many: "AppKeys",
  fields: {
    label: requiredName("label"),
    scopes: {
      name: "scopes",
      schema: { type: "array", minItems: 1, items: { type: "string", enum: scopes } },
      fallback: scopes.filter((scope) => scope !== "admin"),
      keptIfLeftOut: true,
      read: (input: AppKey["scopes"]) => scopes.filter((scope) => input.includes(scope)),
    },
    expiresAt: {
      name: "expires_at",
      schema: moment,
      fallback: null,
      read: (input: string | null) => {
        if (input === null) return null;
        if (instantOf(input, "UTC") === null) throw new InvalidInput(notInFuture);
        return input;
      },
    },
    lastUsedAt: { name: "last_used", schema: { ...moment, description: "Rounded down to the hour" }, readOnly: true },
  },
  shownOnce: { key: { type: "string", description: "The key, which only the answer to its creation shows" } },
  rules: [
    "Scopes: `read` for requests that change nothing; `send` for messages, campaigns, tickets, the inbox, contacts and media; " +
      "`orders` for orders, the board and sales; `admin` for everything under `/admin` and for erasing contacts. No scope " +
      "includes another. Without `scopes` a new key gets all but `admin`.",
    "`expires_at` without a zone is in the business's.",
    "Removing a key revokes it at once, and disconnects the sockets that it opened.",
  ],
};

/** An expiry without a zone is in the business's zone. A new or changed expiry must be in the future. */
export const appKeyRules = (zones: Zones): Omit<ResourceRules<AppKey>, "name"> => ({
  async prepare(businessId, key) {
    const at = key.expiresAt && (await instantIn(zones, businessId, key.expiresAt));
    return { ...key, expiresAt: at ? at.toISOString() : null };
  },
  check({ expiresAt }, before) {
    if (expiresAt === null || expiresAt === before?.expiresAt) return;
    if (Date.parse(expiresAt) <= Date.now()) throw new RuleBroken(notInFuture);
  },
});
