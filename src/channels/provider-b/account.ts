import type { Sender } from "../../messaging/public.ts";

type Account = Pick<Sender, "accountId" | "accessToken">;

/** Relative to the base URL. */
export const accountPath = ({ accountId }: Pick<Account, "accountId">): string =>
  `/2010-04-01/Accounts/${encodeURIComponent(accountId)}`;

export const credentialsOf = ({ accountId, accessToken }: Account): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${accountId}:${accessToken}`).toString("base64")}`,
});

/** Codes for a recipient who opted out of all messages, or of marketing messages. */
export const optedOutCodes: readonly number[] = [21610, 63033];

export const addressOf = (phone: string): string => `whatsapp:+${phone}`;

/** The digits of an address such as `whatsapp:+59170000001`; undefined for addresses of other channels. */
export const numberIn = (address: string): string | undefined => /^whatsapp:\+(\d{1,20})$/.exec(address)?.[1];
