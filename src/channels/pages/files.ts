import type { FileSource } from "../../inbox/public.ts";
import { type FileSettings, fileAnswer } from "../shared/files.ts";

/**
 * Files of pages and photo accounts: their addresses, on whichever host, open them. They hold a signature of their own, and
 * no token is sent. Once it has run out the platform answers 403.
 */
export const pageFiles = ({ downloads, baseUrl }: FileSettings): FileSource => ({
  open: async (_, place, signal) => {
    if (place.at !== "url") return { kind: "gone", reason: "not a file of this channel" };
    return fileAnswer(await downloads.open({ url: place.url, home: baseUrl, signal }), [403, 404, 410]);
  },
});
