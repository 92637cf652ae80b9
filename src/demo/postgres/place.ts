import { createHash, randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Account, isRoot } from "./account.ts";
import { endServerOf, isAlive } from "./server-process.ts";
import { unusable } from "./unusable.ts";

/** Stands in the wished directory when the data had to live elsewhere. */
const pointer = (directory: string) => join(directory, "moved-to");

export const dataDirectory = (place: string): string => join(place, "cluster", "data");

/** Where the data goes when the server's user cannot reach the wished directory. */
export function shelter(directory: string): string {
  const hash = createHash("sha256").update(directory).digest("hex").slice(0, 12);
  return join("/var/tmp", `recado-${hash}`);
}

/** The directory's real path, which names it in pid files and command lines; its parents are made. */
export async function settledPath(directory: string): Promise<string> {
  await mkdir(dirname(directory), { recursive: true });
  return join(await realpath(dirname(directory)), basename(directory));
}

/** The directory that holds the server's files, readable by its user only. `directory` is a settled path. */
export async function preparePlace(directory: string, account: Account | undefined): Promise<string> {
  const moved = account !== undefined && ((await exists(pointer(directory))) || !(await canEnter(directory, account)));
  if (moved) await leavePointer(directory);
  const place = moved ? shelter(directory) : directory;
  await mkdir(place, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await takeOver(place, account);
  await removeUnfinished(place);
  return place;
}

/** Whoever deleted the pointer wanted the data gone: what lies in the shelter goes too. */
async function leavePointer(directory: string): Promise<void> {
  if (await exists(pointer(directory))) return;
  await mkdir(directory, { recursive: true });
  await removeFiles(shelter(directory));
  await writeFile(pointer(directory), `${shelter(directory)}\n`);
}

/** In a public directory somebody else may have been here first: only our own directory will do. */
async function takeOver(place: string, account: Account | undefined): Promise<void> {
  const found = await lstat(place);
  const wanted = account?.uid ?? process.getuid?.();
  if (!found.isDirectory()) throw unusable(`${place} is not a directory. Remove it.`);
  if (found.uid !== wanted && !(account !== undefined && found.uid === 0)) throw belongsToOther(place, found.uid);
  if (account !== undefined) await chown(place, account.uid, account.gid);
  await chmod(place, 0o700);
}

const belongsToOther = (place: string, uid: number) =>
  unusable(`${place} belongs to another user (uid ${uid}). Remove it as that user or as root with \`make clean\`.`);

/** Whether the user may pass through every parent of the path, by their mode bits. */
async function canEnter(path: string, account: Account): Promise<boolean> {
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    const { mode, uid, gid } = await stat(parent);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (parent === dirname(parent)) return true;
  }
}

/**
 * Something in `place` that is there whole or not at all: made aside, then renamed. Of two processes that make it at
 * once, the slower one's is thrown away.
 */
export async function makeWhole(place: string, name: string, make: (aside: string) => Promise<void>): Promise<void> {
  const aside = join(place, `new-${process.pid}-${randomBytes(4).toString("hex")}`);
  await make(aside);
  try {
    await rename(aside, join(place, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    await rm(aside, { recursive: true, force: true });
  }
}

/** What killed processes were making. Names carry the number of the process. */
async function removeUnfinished(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const pid = Number(/^new-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) await rm(join(place, name), { recursive: true, force: true });
  }
}

/** Ends a server that still runs on the directory and removes its files, the shelter's too. */
export async function removeEmbeddedPostgres(directory: string): Promise<void> {
  const settled = await settledPath(directory);
  if (isRoot() && (await exists(pointer(settled)))) await removeFiles(shelter(settled));
  await removeFiles(settled);
}

async function removeFiles(place: string): Promise<void> {
  await endServerOf(dataDirectory(place));
  await rm(place, { recursive: true, force: true });
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
