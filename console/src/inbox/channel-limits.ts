import { useMemo } from "react";
import { useMe } from "../app/session.ts";
import type { Chat, Me } from "../shared/api.ts";
import { mediaLimits, typeAt } from "./media-types.ts";
import type { OutgoingContent, StoredFile } from "./outgoing.ts";

/** What can be sent on a channel. */
export type ChannelLimits = Me["canales"][number];
export type TextLimit = ChannelLimits["texto"];

/** Notes are not sent, so channels do not limit them. */
export const noteLimit: TextLimit = { maximo: 4_096, unidad: "caracteres" };

export function useChannelLimits({ provider }: Pick<Chat, "provider">): ChannelLimits {
  const { canales }: Partial<Me> = useMe();
  const known = canales?.find((channel) => channel.provider === provider);
  return useMemo(() => known ?? widest(provider), [known, provider]);
}

/**
 * While the service is upgraded, its older processes do not report the limits of channels. These limits apply then, and
 * the service or the platform refuses what exceeds the real ones.
 */
const widest = (provider: Chat["provider"]): ChannelLimits => ({
  provider,
  texto: noteLimit,
  archivos: mediaLimits,
  plantillas: provider === "platform-apicloud" || provider === "provider-b",
  responde_a: true,
});

const encoder = new TextEncoder();

/**
 * `length` counts an emoji as two or more, as the service does for the limits of channels. In notes and on QR, the
 * service counts fewer, so this count is the stricter one there.
 */
const lengthOf = (text: string, unit: TextLimit["unidad"]): number =>
  unit === "bytes" ? encoder.encode(text).length : text.length;

/**
 * Whether the link of a file is added to the text sent with it and counts toward the limit of that text. The cloud
 * channel adds it only for audio or to a long text; a short text fits even with the link. ProviderB adds it only for
 * audio. On QR only the text counts.
 */
function countsLink({ url, type }: StoredFile, provider: Chat["provider"]): boolean {
  if (provider === "qr") return false;
  return provider !== "provider-b" || (typeAt(url) ?? type).startsWith("audio/");
}

const textIn = (content: OutgoingContent, provider: Chat["provider"]): string =>
  content.kind === "file" && content.text !== "" && countsLink(content.file, provider)
    ? `${content.text}\n\n${content.file.url}`
    : content.text;

/** How much more text fits. It is negative if the longest text is too long. */
export const roomIn = (
  contents: readonly OutgoingContent[],
  { maximo, unidad }: TextLimit,
  provider: Chat["provider"],
): number => maximo - Math.max(0, ...contents.map((content) => lengthOf(textIn(content, provider), unidad)));
