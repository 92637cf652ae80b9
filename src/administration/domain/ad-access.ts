/** With what a business asks the ad platform. */
export interface AdAccess {
  /** The account that is meant where none is named. */
  readonly defaultAccountId: string | null;
  /** Null where none is given: the one that there is stays. Never shown. */
  readonly token: string | null;
}
