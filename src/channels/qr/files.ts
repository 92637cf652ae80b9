import type { FileAnswer, FileSource } from "../../inbox/public.ts";
import { rootOf } from "../../infra/http-client/http-client.ts";
import type { Sender } from "../../messaging/public.ts";
import { type FileSettings, fileAnswer } from "../shared/files.ts";
import { base64FileIn } from "./base64-file.ts";

/** Bytes of an answer: the largest stored file in base64, and the JSON around it. */
const mostBytes = 140 * 1024 * 1024;

/** The provider answers 400 for every problem with a file; only these texts mean that a retry is useless. */
const lasting = /Message not found|not of the media type|messageContextInfo|Template message does not/;

/** Requests a file that was not in the webhook, by the id of the file's message. */
export const qrFiles = ({ downloads, baseUrl }: FileSettings): FileSource => ({
  open: async (sender, place, signal) => {
    if (place.at !== "message") return { kind: "gone", reason: "no place of this channel" };
    const outcome = await downloads.open(requestFor(sender, place.messageId, rootOf(baseUrl), signal));
    if (outcome.kind === "content") return fileIn(outcome.content);
    const isGone = outcome.kind === "refused" && outcome.status === 400 && lasting.test(outcome.text);
    return isGone ? { kind: "gone", reason: "the provider does not have it" } : fileAnswer(outcome, []);
  },
});

const requestFor = ({ platformId, accessToken }: Sender, messageId: string, root: string, signal: AbortSignal) =>
  ({
    method: "POST",
    url: `${root}/chat/getBase64FromMediaMessage/${encodeURIComponent(platformId)}`,
    headers: { accept: "application/json", "content-type": "application/json" },
    credentials: { apikey: accessToken },
    body: JSON.stringify({ message: { key: { id: messageId } }, convertToMp4: false }),
    home: root,
    mostBytes,
    signal,
  }) as const;

async function fileIn(answer: AsyncIterable<Uint8Array>): Promise<FileAnswer> {
  try {
    return { kind: "content", content: await base64FileIn(answer), size: null };
  } catch (error) {
    return { kind: "later", reason: error instanceof Error ? error.message : "the answer cannot be read" };
  }
}
