import { useMemo } from "react";
import { useMe } from "../app/session.ts";
import type { Chat, Me } from "../shared/api.ts";
import { mediaLimits, typeAt } from "./media-types.ts";
import type { OutgoingContent, StoredFile } from "./outgoing.ts";

/** What can be sent on a channel. */
export type ChannelLimits = Me["canales"][number];
export type TextLimit = ChannelLimits["texto"];

/** The service's limit for notes. Channels do not limit notes, since notes are not sent. */
export const noteLimit: TextLimit = { maximo: 4_096, unidad: "caracteres" };

export function useChannelLimits({ provider }: Pick<Chat, "provider">): ChannelLimits {
  const { canales }: Partial<Me> = useMe();
  const known = canales?.find((channel) => channel.provider === provider);
  return useMemo(() => known ?? widest(provider), [known, provider]);
}

/**
 * Used while the service is upgraded, since its older processes do not report the limits of channels. The service or
 * the platform refuses messages that exceed the real limits.
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
 * `length` counts most emoji as two or more characters, as the service does on most channels. In notes and on QR, the
 * service counts fewer characters, so this count is stricter there.
 */
const lengthOf = (text: string, unit: TextLimit["unidad"]): number =>
  unit === "bytes" ? encoder.encode(text).length : text.length;

/**
 * Whether the link of a file counts toward the text limit: on QR never, at provider-b only for audio, elsewhere always.
 * On the cloud channel, the service does not count the link of most files if the text has at most 1,024 characters.
 * Such a text fits even with the link, so this function ignores the difference.
 */
function countsLink({ url, type }: StoredFile, provider: Chat["provider"]): boolean {
  if (provider === "qr") return false;
  return provider !== "provider-b" || (typeAt(url) ?? type).startsWith("audio/");
}

const textIn = (content: OutgoingContent, provider: Chat["provider"]): string =>
  content.kind === "file" && content.text !== "" && countsLink(content.file, provider)
    ? `${content.text}\n\n${content.file.url}`
    : content.text;

/** How much longer the longest text may become, in the unit of the limit. Negative if that text is too long. */
export const roomIn = (
  contents: readonly OutgoingContent[],
  { maximo, unidad }: TextLimit,
  provider: Chat["provider"],
): number => maximo - Math.max(0, ...contents.map((content) => lengthOf(textIn(content, provider), unidad)));
