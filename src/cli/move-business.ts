import { moverOf } from "../bootstrap/mover.ts";
import type { Told } from "../infra/postgres/moving/mover.ts";
import { cellSettings } from "./cells.ts";
import { idArgument, runCommand, settingOf } from "./command.ts";

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
/** Rows between two lines about the same table. */
const everyRows = 100_000;

let table = "";
let ofTable = 0;
let printed = 0;

/** Prints a line for each table with rows, and for every 100,000 rows. Rows are reported in chunks. */
function copied(told: Extract<Told, { what: "copied" }>): string | undefined {
  if (told.table !== table) [table, ofTable, printed] = [told.table, 0, -everyRows];
  ofTable += told.rows;
  if (told.rows === 0 || ofTable - printed < everyRows) return undefined;
  printed = ofTable;
  return `copied: ${ofTable} rows of ${table}, ${told.total} in all`;
}

function lineOf(told: Told): string | undefined {
  switch (told.what) {
    case "begun":
      return told.isResumed ? `continuing at ${told.step}` : "begun";
    case "copied":
      return copied(told);
    case "caught up":
      return told.left === 0 ? undefined : `applied ${told.left} further changes`;
    case "compared":
      return `compared: ${told.rows} rows in ${told.tables} tables are the same on both sides, in ${seconds(told.ms)}`;
    case "holding":
      return "blocking its writes";
    case "let go":
      return `unblocked after ${seconds(told.ms)}: ${told.reason}; trying again`;
    case "moved":
      return told.heldMs === null ? "moved" : `moved; its writes were blocked for ${seconds(told.heldMs)}`;
    case "undone":
      return `undone; ${told.rows} copied rows are removed`;
  }
}

/** Moves a business to another cell while the service runs, or undoes a move before its switch. */
await runCommand(async () => {
  const businessId = idArgument("business", process.env.BUSINESS);
  const mover = moverOf(cellSettings());
  const tell = (told: Told) => {
    const line = lineOf(told);
    if (line) console.log(`business ${businessId}: ${line}`);
  };
  if (process.env.UNDO?.trim()) await mover.undo(businessId, tell);
  else await mover.move(businessId, settingOf("TO", "c2"), tell);
});
