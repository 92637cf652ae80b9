/**
 * Allows `most` uses at once, and `perMs` more with each millisecond. The returned function takes one use, or returns
 * false if none is left.
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
