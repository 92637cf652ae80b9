import { type AdPlatform, accountIdOf, TokenRefused } from "../../ads/public.ts";
import { DomainError } from "../../kernel/errors.ts";
import { PlatformUnavailable } from "../../messaging/public.ts";
import type { AdAccess } from "../domain/ad-access.ts";
import { RecordMovedOn, type StoredRecord, UnknownReference, WrongField } from "../domain/records.ts";
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
    const accounts = await accountsOf(platform, { businessId, token }, "token");
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

interface ReportAccountFlag {
  readonly ad_account_for_report: string | null;
}

interface ReportAccountReads {
  flags(businessId: number): Promise<ReportAccountFlag | undefined>;
  /** Null if the business has no access to the ad platform, or its token cannot be decrypted. */
  token(businessId: number): Promise<string | null>;
}

/**
 * The business's token must open the ad account for reports. The platform is asked only when this account changes.
 */
export const reportAccountRules = <Flags extends ReportAccountFlag>(
  platform: Pick<AdPlatform, "accounts">,
  stored: ReportAccountReads,
): Pick<ResourceRules<Flags>, "verify"> => ({
  async verify(businessId, flags) {
    const field = "ad_account_for_report";
    const named = flags[field];
    if (named === null || named === (await stored.flags(businessId))?.[field]) return flags;
    const token = await stored.token(businessId);
    const accounts = token === null ? [] : await accountsOf(platform, { businessId, token }, field);
    if (!accounts.some(({ id }) => id === accountIdOf(named))) throw new UnknownReference(field);
    return flags;
  },
});

/** The accounts that a token opens. If the platform refuses the token, throws `WrongField` for `field`. */
const accountsOf = (
  platform: Pick<AdPlatform, "accounts">,
  access: Parameters<AdPlatform["accounts"]>[0],
  field: string,
) =>
  platform.accounts(access).catch((error: unknown) => {
    if (error instanceof TokenRefused) throw new WrongField(field, "refused");
    throw error instanceof DomainError ? new PlatformUnavailable(error.message) : error;
  });
