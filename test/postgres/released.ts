import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { valuesOf } from "./query.ts";

/**
 * The columns and statements of a released version. During an upgrade, processes of this version run on the next
 * version's schema. `make released` writes `released.json` with the statements that the tests execute.
 */
export interface Released {
  readonly version: string;
  readonly columns: readonly Column[];
  readonly statements: readonly { readonly name: string; readonly text: string }[];
}

export interface Column {
  /** The name with its table, such as `orders.total`. */
  readonly name: string;
  readonly type: string;
  /** Whether each insert must set the column. */
  readonly required: boolean;
}

const file = fileURLToPath(new URL("./released.json", import.meta.url));

export const writeReleased = (released: Released): Promise<void> =>
  writeFile(file, `${JSON.stringify(released, null, 2)}\n`);

export const readReleased = async (): Promise<Released> => JSON.parse(await readFile(file, "utf8"));

export const columnsOf = async (url: string): Promise<readonly Column[]> =>
  (await valuesOf(
    url,
    `select jsonb_build_object('name', relname || '.' || attname, 'type', format_type(atttypid, atttypmod),
                               'required', attnotnull and not atthasdef and attidentity = '')
     from pg_class as c
     join pg_attribute as a on attrelid = c.oid and attnum > 0 and not attisdropped
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname not like 'migrations%'
     order by relname, attname`,
  )) as Column[];
