/** The token and the default account with which a business calls the ad platform. */
export interface AdAccess {
  /** The account of requests that name none. */
  readonly defaultAccountId: string | null;
  /** Null keeps the stored token. Never part of an answer. */
  readonly token: string | null;
}
