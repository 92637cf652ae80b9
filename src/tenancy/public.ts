export { AcceptInvitation } from "./application/accept-invitation.ts";
export { ChangePassword } from "./application/change-password.ts";
export { CreateBusiness } from "./application/create-business.ts";
export { IssueAppKey } from "./application/issue-app-key.ts";
export { IssueSession } from "./application/issue-session.ts";
export { OpenSession } from "./application/open-session.ts";
export type { AppKeys, InvitationStore, KeyOwners, PasswordStore, SignInAttempts } from "./application/ports.ts";
export { RevokeAppKeys } from "./application/revoke-app-keys.ts";
export type { KeyAccess } from "./domain/access.ts";
