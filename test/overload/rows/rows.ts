import type { Row } from "../row.ts";
import { bodyRows } from "./bodies.ts";
import { connectionRows } from "./connections.ts";
import { doorRows } from "./doors.ts";
import { loadRows } from "./load.ts";
import { workRows } from "./work.ts";

const { control, ...otherLoads } = loadRows;

/** All rows by name. `make overload ROW=name` runs one of them. */
export const rows: Readonly<Record<string, Row>> = {
  ...(control && { control }),
  ...doorRows,
  ...bodyRows,
  ...workRows,
  ...connectionRows,
  ...otherLoads,
};
