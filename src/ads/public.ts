export { GiveAdAccess } from "./application/give-ad-access.ts";
export { ListAccounts } from "./application/list-accounts.ts";
export { ListAdSets } from "./application/list-ad-sets.ts";
export { ListCampaigns } from "./application/list-campaigns.ts";
export type { AdCredentialStore, AdCredentials, AdPlatform } from "./application/ports.ts";
export { ReportedAds } from "./application/reported-ads.ts";
export { accountIdOf } from "./domain/ads.ts";
export { NotShown, TokenRefused, WrongCursor } from "./domain/failures.ts";
