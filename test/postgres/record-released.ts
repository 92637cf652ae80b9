import { readFile } from "node:fs/promises";
import { closeTestServer, freshDatabase } from "../support/database.ts";
import { columnsOf, writeReleased } from "./released.ts";

/**
 * `record-released.ts VERSION FILE` writes `released.json`. Each line of FILE is a statement in JSON. Lines may be
 * repeated.
 */
const [version = "", recorded = ""] = process.argv.slice(2);
const lines = [...new Set((await readFile(recorded, "utf8")).split("\n").filter((line) => line !== ""))].sort();
const { url } = await freshDatabase();
const statements = lines.map((line) => JSON.parse(line));
await writeReleased({ version, columns: await columnsOf(url), statements });
await closeTestServer();
