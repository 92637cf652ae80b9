import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeEmbeddedPostgres } from "./place.ts";

/** `make clean`: stops and removes every embedded server whose directory stands in the one given. */
const [, , parent = ".data"] = process.argv;
for (const entry of await readdir(parent, { withFileTypes: true })) {
  if (entry.isDirectory()) await removeEmbeddedPostgres(join(parent, entry.name));
}
