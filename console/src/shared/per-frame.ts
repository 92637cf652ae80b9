/** Milliseconds, longer than a frame. In hidden pages, which get no animation frames, callbacks run after this time. */
const undrawnMs = 100;

let waiting: (() => void)[] = [];
let isDue = false;

function runAll(): void {
  if (!isDue) return;
  isDue = false;
  const due = waiting;
  waiting = [];
  for (const run of due) run();
}

/** Batches callbacks per frame, so that many events cause a single render. */
export function perFrame(run: () => void): void {
  waiting.push(run);
  if (isDue) return;
  isDue = true;
  if (document.visibilityState === "visible") requestAnimationFrame(runAll);
  setTimeout(runAll, undrawnMs);
}
