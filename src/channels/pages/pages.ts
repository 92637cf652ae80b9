import type { FileSource } from "../../inbox/public.ts";
import { fields, parse, textOf } from "../../infra/http-client/json.ts";
import { pageChannel, photoChannel } from "../../kernel/channels.ts";
import { beginning } from "../../kernel/text.ts";
import type { Sender } from "../../messaging/public.ts";
import { type ChatChannelKind, type CheckSender, NoAnswer, unconfirmed } from "../channel.ts";
import { type FileSettings, fileAnswer } from "../shared/files.ts";
import { bearer, type GraphSettings, graphRead } from "../shared/graph.ts";
import { longestName } from "../shared/json-fields.ts";
import { withoutCustomer } from "./forget.ts";
import { type PagesChannel, readPagesWebhook } from "./payload.ts";
import { pageMessages } from "./send.ts";
import { pagesWebhookRoutes } from "./webhook.ts";

/** Photo accounts have no first name, and a field that does not exist fails the whole request. */
const namesOn = (channel: string): string => (channel === photoChannel ? "name,username" : "name,first_name,last_name");

/** Null if the platform gives no name: it names only some customers, and not every time. Never rejects. */
async function customerName(settings: GraphSettings, sender: Sender, customer: string): Promise<string | null> {
  const path = `${encodeURIComponent(customer)}?fields=${namesOn(sender.channel)}`;
  const outcome = await graphRead(settings, path, sender);
  if (outcome.kind !== "answer" || outcome.status !== 200) return null;
  const { name, first_name: first, last_name: last, username } = parse(outcome.text);
  const whole = [first, last].flatMap((part) => textOf(part)?.trim() || []).join(" ");
  const told = (textOf(name)?.trim() ?? "") || whole || (textOf(username)?.trim() ?? "");
  return beginning(told, longestName) || null;
}

/** The URL of a file is signed and may have any host, so no token is sent. An expired URL answers 403. */
const pageFiles = ({ downloads, baseUrl }: FileSettings): FileSource => ({
  open: async (_, place, signal) => {
    if (place.at !== "url") return { kind: "gone", reason: "not a file of this channel" };
    return fileAnswer(await downloads.open({ url: place.url, home: baseUrl, signal }), [403, 404, 410]);
  },
});

/**
 * The fields of `/me` that name the account of a token. A photo account may use its linked page's token: then `id` is
 * the page, and `instagram_business_account` is the photo account.
 */
const ownFields: Readonly<Record<PagesChannel, string>> = {
  [pageChannel]: "id",
  [photoChannel]: "id,instagram_business_account",
};

const checkOn =
  (channel: PagesChannel): CheckSender =>
  async (read, version, { platformId, accessToken }) => {
    const own = await read(`/${version}/me?fields=${ownFields[channel]}`, bearer(accessToken));
    if (own === null) return unconfirmed("accessToken");
    if (textOf(own.id) === undefined) throw new NoAnswer();
    const opened = textOf(fields(own.instagram_business_account).id) ?? own.id;
    return opened === platformId ? "confirmed" : unconfirmed("accessToken");
  };

const kindOf = <Name extends PagesChannel>(name: Name): ChatChannelKind<Name> => ({
  name,
  isOfPlatform: true,
  connect: pageMessages,
  checkSender: checkOn(name),
  receiving: {
    routes: pagesWebhookRoutes(name),
    read: readPagesWebhook(name),
    without: withoutCustomer,
    files: pageFiles,
    nameOf: customerName,
  },
});

export const page = kindOf(pageChannel);
/** Direct messages of the photo app; the wire format is that of pages. */
export const photo = kindOf(photoChannel);
