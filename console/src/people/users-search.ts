import { idParam, oneOf, said, textParam } from "../shared/search-params.ts";

export const standings = ["active", "inactive", "any"] as const;
type Standing = (typeof standings)[number];

export interface UsersSearch {
  readonly q?: string;
  readonly role?: number;
  /** Without `standing`, only active users are listed. */
  readonly standing?: Standing;
  /** The user whose panel is open. */
  readonly user?: number | "new";
}

export const usersSearch = ({ q, role, standing, user }: Record<string, unknown>): UsersSearch =>
  said<UsersSearch>({
    q: textParam(q),
    role: idParam(role),
    standing: standing === "active" ? undefined : oneOf(standings, standing),
    user: user === "new" ? user : idParam(user),
  });

/** The service's filter parameters. */
export const filtersOf = ({ q, role, standing = "active" }: UsersSearch) => ({
  ...(q && { q }),
  ...(role && { role_id: role }),
  ...(standing !== "any" && { activo: standing === "active" }),
});

export type UserFilters = ReturnType<typeof filtersOf>;
