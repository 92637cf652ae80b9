import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { instantOf } from "../../../kernel/instants.ts";
import { scopes } from "../../../kernel/scopes.ts";
import { requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import { RuleBroken } from "../../domain/records.ts";
import type { AppKey } from "./record.ts";

const notToCome = "expires_at debe ser una fecha por venir";
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
      read: (input: AppKey["scopes"]) => scopes.filter((scope) => input.includes(scope)),
    },
    expiresAt: {
      name: "expires_at",
      schema: moment,
      fallback: null,
      read: (input: string | null) => {
        if (input === null) return null;
        const at = instantOf(input, "UTC");
        if (at === null) throw new InvalidInput(notToCome);
        return at.toISOString();
      },
    },
    lastUsedAt: { name: "last_used", schema: { ...moment, description: "To the hour" }, readOnly: true },
  },
  shownOnce: { key: { type: "string", description: "The key itself, in the answer that made it and never again" } },
  rules: [
    "Scopes: `read` for what changes nothing; `send` for messages, campaigns, tickets, the inbox, contacts and media; `orders` " +
      "for orders, the board and sales; `admin` for all of `/admin` and for erasing contacts. None implies another. Without " +
      "`scopes` a key has all but `admin`.",
    "Removing a key revokes it, at once and in every process, and ends the sockets that it opened.",
  ],
};

/** A new expiry must lie in the future; the one that the key has already may stay. Throws `RuleBroken`. */
export function checkAppKey({ expiresAt }: AppKey, before: AppKey | null): void {
  if (expiresAt === null || expiresAt === before?.expiresAt) return;
  if (Date.parse(expiresAt) <= Date.now()) throw new RuleBroken(notToCome);
}
