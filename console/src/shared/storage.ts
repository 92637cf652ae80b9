/** Local storage. The page also works without it, as in private windows. */
export const storage = {
  get(name: string): string | null {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },

  /** The stored names with this prefix. */
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
      // The page works without storage.
    }
  },
};
