import type { FileSource } from "../../inbox/public.ts";
import { type FileSettings, fileAnswer } from "../shared/files.ts";

/** A file's URL contains its own signature, on any host; no token is sent. An expired URL answers 403. */
export const pageFiles = ({ downloads, baseUrl }: FileSettings): FileSource => ({
  open: async (_, place, signal) => {
    if (place.at !== "url") return { kind: "gone", reason: "not a file of this channel" };
    return fileAnswer(await downloads.open({ url: place.url, home: baseUrl, signal }), [403, 404, 410]);
  },
});
