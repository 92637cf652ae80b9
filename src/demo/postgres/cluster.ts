import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Account } from "./account.ts";
import { type Binaries, childEnvironment } from "./binaries.ts";
import { dataDirectory, makeWhole } from "./place.ts";
import { unusable } from "./unusable.ts";

/** The superuser's password on this cluster. The cluster is made when there is none. */
export async function prepareCluster(
  place: string,
  binaries: Binaries,
  account: Account | undefined,
  durable: boolean,
): Promise<string> {
  const cluster = join(place, "cluster");
  if ((await stat(cluster).catch(() => undefined)) === undefined) {
    await makeWhole(place, "cluster", (aside) => createCluster(aside, binaries, account, durable));
  }
  await checkVersion(place, binaries.major);
  return (await readFile(join(cluster, "password"), "utf8")).trim();
}

/** The password is made with the data, so that they always belong together. */
async function createCluster(
  aside: string,
  binaries: Binaries,
  account: Account | undefined,
  durable: boolean,
): Promise<void> {
  const password = join(aside, "password");
  await mkdir(aside, { mode: 0o700 });
  await writeFile(password, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
  if (account !== undefined) {
    await chown(aside, account.uid, account.gid);
    await chown(password, account.uid, account.gid);
  }
  await initdb(join(aside, "data"), password, binaries, account, durable);
}

/** The collation is PostgreSQL's own, so that every machine sorts alike. */
async function initdb(
  data: string,
  passwordFile: string,
  binaries: Binaries,
  account: Account | undefined,
  durable: boolean,
): Promise<void> {
  const flags = [
    `--pgdata=${data}`,
    "--username=postgres",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    ...(durable ? [] : ["--no-sync"]),
  ];
  const options = { ...account, cwd: "/", env: childEnvironment, timeout: 120_000 };
  await promisify(execFile)(binaries.initdb, flags, options).catch((error: Error & { stderr?: string }) => {
    throw unusable(`initdb says: ${(error.stderr || error.message).trim()}.`);
  });
}

/** Data belongs to a major version. */
async function checkVersion(place: string, major: string): Promise<void> {
  const data = dataDirectory(place);
  const found = (await readFile(join(data, "PG_VERSION"), "utf8").catch(() => "")).trim();
  if (found === major) return;
  const made = found === "" ? "is damaged" : `was made by PostgreSQL ${found}, this one is ${major}`;
  throw unusable(`the data in ${data} ${made}. \`make clean\` removes it, and what is in it.`);
}
