/** Milliseconds that all paced work of the process may take within one turn of the event loop. */
const shareMs = 4;

/** When the paced work of this turn began. */
let began: number | undefined;
const waiting: (() => void)[] = [];

/**
 * Pauses long work on the main thread, so that requests are answered in between. Await `nextTurn()` between small steps
 * of the work. It returns undefined while this turn of the event loop has time left, otherwise a promise that resolves
 * in a later turn. Waiting callers continue in the order in which they came, one in each turn.
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
