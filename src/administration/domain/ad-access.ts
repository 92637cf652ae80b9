/** The token and the default account with which a business calls the ad platform. */
export interface AdAccess {
  /** The account of requests that name none. */
  readonly defaultAccountId: string | null;
  /** A change with null keeps the stored token. Answers never contain the token. */
  readonly token: string | null;
}
