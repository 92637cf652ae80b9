import { startEmbeddedPostgres } from "../../src/fixtures/postgres/embedded-postgres.ts";

/** Starts a server and prints its URL and pid. The program ends when stdin ends, and never stops the server. */
const [, , directory = ""] = process.argv;
const { url, pid } = await startEmbeddedPostgres({ directory, fsync: false, log: console.error });
console.log(JSON.stringify({ url, pid }));
process.stdin.on("end", () => process.exit()).resume();
