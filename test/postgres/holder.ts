import { startEmbeddedPostgres } from "../../src/fixtures/postgres/embedded-postgres.ts";

/** Starts a server, prints its URL and pid, and never stops it. This program ends when it is killed or stdin ends. */
const [, , directory = ""] = process.argv;
const { url, pid } = await startEmbeddedPostgres({ directory, fsync: false, log: console.error });
console.log(JSON.stringify({ url, pid }));
process.stdin.on("end", () => process.exit()).resume();
