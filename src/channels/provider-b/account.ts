import type { Sender } from "../../messaging/public.ts";

type Account = Pick<Sender, "accountId" | "accessToken">;

/** Relative to the base URL. */
export const accountPath = ({ accountId }: Pick<Account, "accountId">): string =>
  `/2010-04-01/Accounts/${encodeURIComponent(accountId)}`;

export const credentialsOf = ({ accountId, accessToken }: Account): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${accountId}:${accessToken}`).toString("base64")}`,
});
