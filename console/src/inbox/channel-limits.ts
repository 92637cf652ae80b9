import { useMe } from "../app/session.ts";
import type { Chat, Me } from "../shared/api.ts";
import type { OutgoingContent } from "./outgoing.ts";

/** What can be sent on a channel. */
export type ChannelLimits = Me["canales"][number];
export type TextLimit = ChannelLimits["texto"];

export function useChannelLimits({ provider }: Pick<Chat, "provider">): ChannelLimits {
  const limits = useMe().canales.find((channel) => channel.provider === provider);
  if (!limits) throw new Error(`the limits of ${provider} are unknown`);
  return limits;
}

/** Notes are not sent, so channels do not limit them. */
export const noteLimit: TextLimit = { maximo: 4_096, unidad: "caracteres" };

const encoder = new TextEncoder();

/** The service counts emoji in the same way. */
const lengthOf = (text: string, unit: TextLimit["unidad"]): number =>
  unit === "bytes" ? encoder.encode(text).length : text.length;

/** Some channels send a file as a link below its text, so the link counts. */
function textIn(content: OutgoingContent): string {
  return content.kind === "file" && content.text !== "" ? `${content.text}\n\n${content.file.url}` : content.text;
}

/** How much more text fits. It is negative if the longest text is too long. */
export const roomIn = (contents: readonly OutgoingContent[], { maximo, unidad }: TextLimit): number =>
  maximo - Math.max(0, ...contents.map((content) => lengthOf(textIn(content), unidad)));
