import { useQuery } from "@tanstack/react-query";
import { answered, api, type Me, Refused } from "../shared/api.ts";
import { meKey, queryClient } from "../shared/query.ts";

async function fetchMe(): Promise<Me | null> {
  try {
    return await answered(api.GET("/me"));
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return null;
    throw error;
  }
}

/** The session of the signed-in user; null if there is none. */
export const useSession = () => useQuery({ queryKey: meKey, queryFn: fetchMe });

/** The user. Only components that need a signed-in user may call this. */
export function useMe(): Me {
  const { data } = useSession();
  if (!data) throw new Error("nobody is signed in");
  return data;
}

export async function signIn(email: string, password: string): Promise<void> {
  await answered(api.POST("/auth/session", { body: { email, password, cookie: true } }));
  await enter();
}

/** Whether the link of an invitation can still be used. */
export async function isInvitationOpen(token: string, signal: AbortSignal): Promise<boolean> {
  try {
    await answered(api.POST("/auth/invitation/check", { body: { token }, signal }));
    return true;
  } catch (error) {
    // A 401 means that the link is wrong. It says nothing about the session of this browser.
    if (error instanceof Refused && error.status === 401) return false;
    throw error;
  }
}

/** Accepts an invitation, or a link to choose a new password, and is signed in by it. */
export async function acceptInvitation(token: string, password: string): Promise<void> {
  await answered(api.POST("/auth/invitation", { body: { token, password, cookie: true } }));
  await enter();
}

async function enter(): Promise<void> {
  // The data of another user must not be shown.
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meKey[0] });
  queryClient.setQueryData(meKey, await fetchMe());
}

export async function signOut(): Promise<void> {
  await api.DELETE("/auth/session").catch(() => {});
  // A fresh page holds none of the data that this user saw.
  location.assign("/console/");
}
