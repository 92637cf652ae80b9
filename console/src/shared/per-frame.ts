/** Longer than a frame that is drawn; a page that is not drawn has none. */
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

/** Runs it with all else that comes before the next frame, so that the page is drawn once for many events. */
export function perFrame(run: () => void): void {
  waiting.push(run);
  if (isDue) return;
  isDue = true;
  if (document.visibilityState === "visible") requestAnimationFrame(runAll);
  setTimeout(runAll, undrawnMs);
}
