import { useQuery } from "@tanstack/react-query";
import { answered, api, type Me, Refused } from "../shared/api.ts";
import { notice } from "../shared/notice.ts";
import { meKey, queryClient } from "../shared/query.ts";
import { i18n } from "./i18n.ts";

async function fetchMe(): Promise<Me | null> {
  try {
    return await answered(api.GET("/me"));
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return null;
    throw error;
  }
}

/** The query of the signed-in user. `data` is null without a session. */
export const useSession = () => useQuery({ queryKey: meKey, queryFn: fetchMe });

/** The signed-in user. Throws without a session. */
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
    // This 401 means that the link is invalid. It says nothing about the session of this browser.
    if (error instanceof Refused && error.status === 401) return false;
    throw error;
  }
}

/** Accepts an invitation or a link to choose a new password, and signs the user in. */
export async function acceptInvitation(token: string, password: string): Promise<void> {
  await answered(api.POST("/auth/invitation", { body: { token, password, cookie: true } }));
  await enter();
}

async function enter(): Promise<void> {
  // The cache may hold data of another user who was signed in before.
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meKey[0] });
  queryClient.setQueryData(meKey, await fetchMe());
}

/** The statuses of a sign-out after which there is no session: it has ended now, or it had ended before. */
const withoutSession: readonly unknown[] = [200, 400, 401];

export async function signOut(): Promise<void> {
  const status = await api.DELETE("/auth/session").then(
    ({ response }) => response.status,
    () => null,
  );
  if (!withoutSession.includes(status)) {
    notice({ isFailure: true, message: i18n.t("nav.notSignedOut") });
    return;
  }
  // A fresh page holds none of the data that this user saw.
  location.assign("/console/");
}
