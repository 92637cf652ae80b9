import { type AdPlatform, TokenRefused } from "../../ads/public.ts";
import { DomainError } from "../../kernel/errors.ts";
import { PlatformUnavailable } from "../../messaging/public.ts";
import type { AdAccess } from "../domain/ad-access.ts";
import { RecordMovedOn, type StoredRecord, WrongField } from "../domain/records.ts";
import type { ResourceRules } from "./manage-records.ts";

/** Reads the record with its token, which is null if it cannot be decrypted. */
export interface StoredAdAccess {
  opened(businessId: number, id: number): Promise<StoredRecord<AdAccess> | null>;
}

/** The ad platform confirms the token and the default account before they are stored. */
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
    // Another request replaced the stored token while the platform was checking it.
    if (fields.token === null && verified.token !== (before?.token ?? null)) throw new RecordMovedOn();
    const token = fields.token ?? before?.token ?? null;
    if (token === null) throw new WrongField("token", "missing");
    return { ...fields, token };
  },
});
