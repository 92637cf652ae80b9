import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { unusable } from "./unusable.ts";

/** The unprivileged user that root runs the server as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * PostgreSQL refuses root, and initdb wants a user with a name: whoever owns the directory already, else one of the
 * accounts a system brings along. None is created. Undefined when we are not root: the server runs as we do.
 */
export async function serverAccount(
  directory: string,
  names: readonly string[] = ["postgres", "nobody"],
): Promise<Account | undefined> {
  if (!isRoot()) return undefined;
  const found = await stat(directory).catch(() => undefined);
  if (found !== undefined && found.uid !== 0) return { uid: found.uid, gid: found.gid };
  for (const name of names) {
    const account = await accountNamed(name);
    if (account !== undefined) return account;
  }
  throw unusable(`PostgreSQL refuses root, and no user ${names.join(" or ")} is here to run it. Run as another user.`);
}

async function accountNamed(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([idOf("-u", name), idOf("-g", name)]);
    return uid > 0 && gid > 0 ? { uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

async function idOf(flag: string, name: string): Promise<number> {
  const { stdout } = await promisify(execFile)("id", [flag, name], { timeout: 10_000 });
  return Number(stdout);
}
