export interface UsersSearch {
  readonly q?: string;
  /** Whose panel is open. */
  readonly user?: number | "new";
}

/** Anything else in an address is ignored. */
export function usersSearch({ q, user }: Record<string, unknown>): UsersSearch {
  const id = user === "new" ? user : Number(user);
  return {
    ...((typeof q === "string" || typeof q === "number") && q !== "" && { q: String(q).slice(0, 100) }),
    ...((id === "new" || (Number.isSafeInteger(id) && id > 0)) && { user: id }),
  };
}
