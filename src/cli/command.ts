/** Runs an operator's command. If it fails, prints the error's message, and the process exits with 1. */
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

/** The value of an environment variable, trimmed. */
export function settingOf(name: string, example: string): string {
  const value = process.env[name]?.trim();
  if (!value) throw new Error(`${name} is missing or blank; for instance ${name}='${example}'`);
  return value;
}

/** The id in the command's argument, or in `given`. */
export function idArgument(what: string, given = process.argv[2]): number {
  const id = Number(given);
  if (!Number.isSafeInteger(id) || id < 1) throw new Error(`name the ${what} by its id, a whole number from 1`);
  return id;
}
