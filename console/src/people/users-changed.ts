import { queryClient } from "../shared/query.ts";

/** Departments list their users, and the other way round. */
export async function usersChanged(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ["admin", "users"] }),
    queryClient.invalidateQueries({ queryKey: ["admin", "departments"] }),
  ]);
}
