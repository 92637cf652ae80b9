import { optionalText, secretToken } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { AdAccess } from "./record.ts";

export const adAccountsOnWire: RecordOnWire<AdAccess> = {
  path: "ad-accounts",
  entity: "adAccount",
  one: "AdAccess",
  many: "AdAccesses",
  fields: { defaultAccountId: optionalText("default_account_id", 100), token: secretToken("token") },
  verifiedByPlatform: true,
  rules: [
    "A business has one: its token opens all of its ad accounts. Making a second is a 409 `taken`.",
    "`token` is never shown. A new record needs one; otherwise the one that there is stays where none is given. One " +
      "that cannot be opened any more has to be replaced (400), and one that is replaced while the platform is asked about it " +
      "is a 412 `moved_on`.",
    "The platform is asked for the accounts that the token opens: a token that it refuses is a 400 that names `token`, and " +
      "`default_account_id` must be one of them. A platform that does not answer is a 502 `platform_unavailable`, and nothing " +
      "is changed.",
  ],
};
