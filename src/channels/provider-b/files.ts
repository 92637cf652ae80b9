import type { FilePlace, FileSource } from "../../inbox/public.ts";
import { rootOf } from "../../infra/http-client/http-client.ts";
import type { Sender } from "../../messaging/public.ts";
import { type FileSettings, fileAnswer } from "../shared/files.ts";
import { accountPath, credentialsOf } from "./account.ts";

/** The request carries the account's token; the provider redirects to a storage host, which must not get the token. */
export const providerBFiles = ({ downloads, baseUrl }: FileSettings): FileSource => ({
  open: async (sender, place, signal) => {
    const url = ownFile(sender, place, baseUrl);
    if (url === null) return { kind: "gone", reason: "the file is not one of the account" };
    const credentials = credentialsOf(sender);
    const outcome = await downloads.open({ url, credentials, credentialsFor: "url", home: baseUrl, signal });
    // The provider also answers 404 for a while after a file arrives, so 404 is not final.
    return fileAnswer(outcome, [410]);
  },
});

/** The file's URL if it belongs to the account, else null. */
function ownFile(sender: Sender, place: FilePlace, baseUrl: string): string | null {
  if (place.at !== "url" || !URL.canParse(place.url)) return null;
  // Parsing resolves `..`, which could otherwise lead to files of another account.
  const { href } = new URL(place.url);
  return href.startsWith(new URL(`${rootOf(baseUrl)}${accountPath(sender)}/`).href) ? href : null;
}
