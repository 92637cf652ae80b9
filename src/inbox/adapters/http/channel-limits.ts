import { integer, named, objectWith } from "../../../infra/http/routing/schema.ts";
import { chatChannels, replyChannels, templateChannels, textLimitOf } from "../../../kernel/channels.ts";
import { sendableOn } from "../../../messaging/public.ts";

/** In characters. Some channels accept less. */
export const longestText = 4_096;

const unitToWire = { characters: "caracteres", bytes: "bytes" } as const;

export const channelLimitsSchema = named(
  "ChannelLimits",
  objectWith({
    provider: { type: "string", enum: chatChannels },
    texto: {
      ...objectWith({ maximo: integer, unidad: { type: "string", enum: Object.values(unitToWire) } }),
      description:
        "The longest text of an answer, with `unidad` `bytes` in bytes of UTF-8. If the answer has a file, the file's link " +
        "and the empty line above it count too: on pages and photo accounts always, on the cloud channel for audio and " +
        "with more than 1024 characters of text, at provider-b for audio, and on QR never",
    },
    archivos: {
      type: "object",
      additionalProperties: integer,
      description: "The media types that can be sent, each with its largest size in bytes",
    },
    plantillas: { type: "boolean", description: "It has templates of its own" },
    responde_a: { type: "boolean", description: "The customer sees to which message an answer replies" },
  }),
);

export const channelLimits = chatChannels.map((provider) => {
  const { length, unit } = textLimitOf(provider) ?? { length: longestText, unit: "characters" };
  return {
    provider,
    texto: { maximo: Math.min(length, longestText), unidad: unitToWire[unit] },
    archivos: Object.fromEntries(sendableOn(provider).map(({ type, limit }) => [type, limit])),
    plantillas: templateChannels.includes(provider),
    responde_a: replyChannels.includes(provider),
  };
});
