import { startEmbeddedPostgres } from "../../src/fixtures/postgres/embedded-postgres.ts";

/** Starts a server, prints its URL and pid, and does not stop it. Runs until it is killed or its stdin ends. */
const [, , directory = ""] = process.argv;
const { url, pid } = await startEmbeddedPostgres({ directory, fsync: false, log: console.error });
console.log(JSON.stringify({ url, pid }));
process.stdin.on("end", () => process.exit()).resume();
