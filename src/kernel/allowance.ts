/**
 * Allows `most` uses at once. Each millisecond restores `perMs` uses, up to `most`. The returned function takes one use
 * and returns true, or returns false if no use is left.
 */
export function allowance({ most, perMs }: { readonly most: number; readonly perMs: number }): () => boolean {
  let left = most;
  let since = performance.now();
  return () => {
    const now = performance.now();
    left = Math.min(most, left + (now - since) * perMs);
    since = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
