import { optionalText, secretToken } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { AdAccess } from "../../domain/ad-access.ts";

export const adAccountsOnWire: RecordOnWire<AdAccess> = {
  path: "ad-accounts",
  entity: "adAccount",
  one: "AdAccess",
  many: "AdAccesses",
  fields: { defaultAccountId: optionalText("default_account_id", 100), token: secretToken("token") },
  verifiedByPlatform: true,
  takenMessage: "El negocio ya tiene su acceso a las cuentas publicitarias; se cambia con PUT",
  rules: [
    "A business has one such record, whose token gives access to all of its ad accounts. A second one is a 409 `taken`.",
    "`token` is never shown. A new record needs one; later, a request without `token` keeps the stored one. If the stored token " +
      "can no longer be decrypted, a new one is required (400). If another request replaces the token while the platform " +
      "is checking it, the answer is 412 `moved_on`.",
    "The platform lists the accounts to which the token gives access. If it refuses the token, the answer is 400 and names " +
      "`token`; `default_account_id` must be one of the accounts. If the platform does not answer, the answer is 502 " +
      "`platform_unavailable`, and nothing is changed.",
  ],
};
