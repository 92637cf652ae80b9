import { type AdPlatform, TokenRefused } from "../../ads/public.ts";
import { DomainError } from "../../kernel/errors.ts";
import { PlatformUnavailable } from "../../messaging/public.ts";
import type { AdAccess } from "../domain/ad-access.ts";
import { RecordMovedOn, type StoredRecord, WrongField } from "../domain/records.ts";
import type { ResourceRules } from "./manage-records.ts";

/** With the token, which is null where it cannot be opened. */
export interface StoredAdAccess {
  opened(businessId: number, id: number): Promise<StoredRecord<AdAccess> | null>;
}

/** What is given is tried with the ad platform before it is stored. */
export const adAccountRules = (
  platform: Pick<AdPlatform, "accounts">,
  stored: StoredAdAccess,
): ResourceRules<AdAccess> => ({
  name: "ad-accounts",
  forAudit: ({ token: _, ...shown }) => shown,
  async verify(businessId, fields, id) {
    const { token: newToken, defaultAccountId } = fields;
    const kept = id === null ? null : await stored.opened(businessId, id);
    const token = newToken ?? kept?.fields.token ?? null;
    if (token === null) return fields;
    const accounts = await platform.accounts({ businessId, token }).catch((error: unknown) => {
      if (error instanceof TokenRefused) throw new WrongField("token", "refused");
      throw error instanceof DomainError ? new PlatformUnavailable(error.message) : error;
    });
    const isOpened = defaultAccountId === null || accounts.some(({ id }) => id === defaultAccountId);
    if (!isOpened) throw new WrongField("defaultAccountId", "refused");
    return { ...fields, token };
  },
  merge(fields, before, verified) {
    // The token that opened the account was replaced while the platform was asked.
    if (fields.token === null && verified.token !== (before?.token ?? null)) throw new RecordMovedOn();
    const token = fields.token ?? before?.token ?? null;
    if (token === null) throw new WrongField("token", "missing");
    return { ...fields, token };
  },
});
