export interface OwnBusiness {
  readonly name: string;
  readonly imageUrl: string | null;
  /** A name of the tz database. */
  readonly timezone: string;
}
