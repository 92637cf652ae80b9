import { type HttpOutcome, rootOf } from "../../infra/http-client/http-client.ts";
import { type Fields, fields } from "../../infra/http-client/json.ts";
import type { Sender } from "../../messaging/public.ts";
import type { PlatformError } from "./refusals.ts";
import type { ChannelSettings, PostRequest } from "./sending.ts";

/** Shared parts of the platform's channels: cloud numbers, pages and photo-app accounts. */

export interface GraphSettings extends ChannelSettings {
  /** Such as `v23.0`. */
  readonly version: string;
}

export const bearer = (accessToken: string): { authorization: string } => ({ authorization: `Bearer ${accessToken}` });

/** Posts JSON to the platform; `path` begins after the version. */
export const graphPost = (
  version: string,
  path: string,
  { accessToken }: Pick<Sender, "accessToken">,
  body: object,
): PostRequest => ({
  path: `/${version}/${path}`,
  headers: { ...bearer(accessToken), "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Every send is one request to the path `<platformId>/messages`. */
export const graphSend = (version: string, sender: Sender, body: object): PostRequest =>
  graphPost(version, `${encodeURIComponent(sender.platformId)}/messages`, sender, body);

/** Reads from the platform; `path` begins after the version. Never rejects. */
export const graphRead = (
  { client, baseUrl, version, timeouts }: GraphSettings,
  path: string,
  { accessToken }: Pick<Sender, "accessToken">,
): Promise<HttpOutcome> =>
  client.request({
    method: "GET",
    url: `${rootOf(baseUrl)}/${version}/${path}`,
    headers: { accept: "application/json", ...bearer(accessToken) },
    timeouts,
  });

/**
 * Errors of the token, a permission or a capability: every further message would fail, too. 100/33 means that the
 * sender's id is wrong, not the recipient's.
 */
export const graphStops = [
  ...([190, 0, 3, 10, 33, 368, "100/33"] as const),
  ...Array.from({ length: 100 }, (_, n) => 200 + n),
];

export function graphError(body: Fields): PlatformError | undefined {
  const { code, message, error_subcode: subcode, error_data: data, error_user_msg: said } = fields(body.error);
  if (typeof code !== "number" || !Number.isInteger(code)) return undefined;
  const { details = said } = fields(data);
  return {
    code,
    message: typeof message === "string" ? message : "",
    ...(typeof subcode === "number" && { subcode }),
    ...(typeof details === "string" && { details }),
  };
}

/** Takes only the cursor from the URL in `next`. A request to that URL could send the token to another host. */
export function cursorOf(paging: Fields): string | undefined {
  const { after } = fields(paging.cursors);
  if (typeof after === "string" && after !== "") return after;
  if (typeof paging.next !== "string" || !URL.canParse(paging.next)) return undefined;
  return new URL(paging.next).searchParams.get("after") || undefined;
}
