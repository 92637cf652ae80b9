/** Every reason why the embedded PostgreSQL cannot serve names the way out. */
export const unusable = (reason: string): Error => new Error(worded(reason));

/** The directory serves another process: a later try, or another directory, will do. */
export class DirectoryInUse extends Error {
  constructor(data: string, owner?: number) {
    super(
      worded(`${data} is in use by ${owner === undefined ? "another process" : `process ${owner}`}. Stop that one.`),
    );
  }
}

const worded = (reason: string) =>
  `The embedded PostgreSQL cannot be used: ${reason} Or set DATABASE_URL to a PostgreSQL 14 or newer.`;
