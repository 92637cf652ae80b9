import type { TFunction } from "i18next";

const kinds: ReadonlyMap<
  string,
  "picture" | "sticker" | "video" | "audio" | "document" | "location" | "contacts" | "order"
> = new Map([
  ["image", "picture"],
  ["sticker", "sticker"],
  ["video", "video"],
  ["audio", "audio"],
  ["document", "document"],
  ["location", "location"],
  ["contacts", "contacts"],
  ["order", "order"],
]);

/** A word for a message without text. */
export function kindOf(type: string, t: TFunction): string {
  const kind = kinds.get(type);
  return kind ? t(`thread.${kind}`) : type;
}
