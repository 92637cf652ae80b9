import { moverOf } from "../bootstrap/mover.ts";
import type { MoveProgress } from "../infra/postgres/moving/move-business.ts";
import { cellSettings } from "./cells.ts";
import { idArgument, runCommand, settingOf } from "./command.ts";

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
/** At least this many rows are copied between two printed lines about the same table. */
const everyRows = 100_000;

let table = "";
let ofTable = 0;
let printed = 0;

/** Returns a line for the first rows of a table, then a line whenever at least 100,000 further rows are copied. */
function copied(progress: Extract<MoveProgress, { what: "copied" }>): string | undefined {
  if (progress.table !== table) [table, ofTable, printed] = [progress.table, 0, -everyRows];
  ofTable += progress.rows;
  if (progress.rows === 0 || ofTable - printed < everyRows) return undefined;
  printed = ofTable;
  return `copied: ${ofTable} rows of ${table}, ${progress.total} in all`;
}

function lineOf(progress: MoveProgress): string | undefined {
  switch (progress.what) {
    case "begun":
      return progress.isResumed ? `continuing at ${progress.step}` : "begun";
    case "copied":
      return copied(progress);
    case "caught up":
      return progress.left === 0 ? undefined : `applied ${progress.left} further changes`;
    case "compared": {
      const { rows, tables, ms } = progress;
      return `compared: ${rows} rows in ${tables} tables are the same on both sides, in ${seconds(ms)}`;
    }
    case "holding":
      return "blocking its writes";
    case "released":
      return `unblocked after ${seconds(progress.ms)}: ${progress.reason}; trying again`;
    case "moved":
      return progress.heldMs === null ? "moved" : `moved; its writes were blocked for ${seconds(progress.heldMs)}`;
    case "undone":
      return `undone; ${progress.rows} copied rows are removed`;
  }
}

function isUndo(): boolean {
  const written = process.env.UNDO?.trim() ?? "";
  if (!["", "1", "true"].includes(written)) throw new Error("UNDO must be 1, or be left out");
  return written !== "";
}

/** Moves a business to another cell while the service runs, or undoes a move that has not yet switched. */
await runCommand(async () => {
  const businessId = idArgument("business", process.env.BUSINESS);
  const mover = moverOf(cellSettings());
  const report = (progress: MoveProgress) => {
    const line = lineOf(progress);
    if (line) console.log(`business ${businessId}: ${line}`);
  };
  if (isUndo()) await mover.undo(businessId, report);
  else await mover.move(businessId, settingOf("TO", "c2"), report);
});
