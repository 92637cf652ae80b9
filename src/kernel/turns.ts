/** Milliseconds that all paced work of the process may take within one turn of the event loop. */
const shareMs = 4;

/** When the paced work of this turn began. */
let began: number | undefined;
const waiting: (() => void)[] = [];

/**
 * Paces long work on the main thread, so that requests of others are answered in between. Call it between small steps,
 * and await its result: undefined while this turn of the event loop has time left, else a promise for a later turn.
 * Pieces of work that wait are woken in order, one in each turn.
 */
export function nextTurn(): Promise<void> | undefined {
  if (began === undefined) {
    beginTurn();
    return undefined;
  }
  if (performance.now() - began < shareMs) return undefined;
  return new Promise((resolve) => waiting.push(resolve));
}

function beginTurn(): void {
  began = performance.now();
  setImmediate(() => {
    began = undefined;
    const wake = waiting.shift();
    if (wake === undefined) return;
    beginTurn();
    wake();
  });
}
