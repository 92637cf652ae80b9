export interface OwnBusiness {
  readonly name: string;
  readonly imageUrl: string | null;
  /** Its name in the tz database. */
  readonly timezone: string;
}
