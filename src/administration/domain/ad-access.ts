/** The token and the default account with which a business calls the ad platform. */
export interface AdAccess {
  /** Used by requests that name no account. */
  readonly defaultAccountId: string | null;
  /** Null keeps the stored token. Never part of an answer. */
  readonly token: string | null;
}
