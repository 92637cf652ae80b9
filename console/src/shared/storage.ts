/** Text that this browser keeps; where it keeps none (private windows, full disk), the page works without. */
export const storage = {
  get(name: string): string | null {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },

  /** Names of what is kept that begin so. */
  names(prefix: string): string[] {
    try {
      return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
    } catch {
      return [];
    }
  },

  set(name: string, value: string | null): void {
    try {
      if (value === null || value === "") localStorage.removeItem(name);
      else localStorage.setItem(name, value);
    } catch {
      // The page goes on with what it has in memory.
    }
  },
};
