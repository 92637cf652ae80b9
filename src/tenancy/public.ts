/** What other features and the composition root may use of tenancy. */

export { FoundBusiness } from "./application/found-business.ts";
export { IssueAppKey } from "./application/issue-app-key.ts";
export { OpenSession } from "./application/open-session.ts";
export type { AppKeyStore, AppKeys, SessionStore, Sessions } from "./application/ports.ts";
export type { KeyAccess } from "./domain/access.ts";
