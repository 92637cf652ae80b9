import { queryClient } from "../shared/query.ts";

/** Departments contain users and users contain departments, so both are read again. */
export async function usersChanged(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ["admin", "users"] }),
    queryClient.invalidateQueries({ queryKey: ["admin", "departments"] }),
  ]);
}
