/** Runs one command of an operator: prints what went wrong on one line and leaves with 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

export function databaseUrl(): string {
  const url = process.env.DATABASE_URL;
  if (!url) throw new Error("DATABASE_URL is not set");
  return url;
}

/** What the command was given in an environment variable, without blanks around it. */
export function settingOf(name: string, example: string): string {
  const value = process.env[name]?.trim();
  if (!value) throw new Error(`${name} is not set, or blank; for instance ${name}='${example}'`);
  return value;
}

/** The id that the command was given as its argument, or in an environment variable. */
export function idArgument(what: string, given = process.argv[2]): number {
  const id = Number(given);
  if (!Number.isSafeInteger(id) || id < 1) throw new Error(`say which ${what}: its id, a whole number from 1`);
  return id;
}

/** Past a pooler: what holds a lock for a session, or takes long. */
export const directDatabaseUrl = (): string => process.env.DATABASE_DIRECT_URL || databaseUrl();
