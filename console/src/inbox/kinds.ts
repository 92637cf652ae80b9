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

/** The kinds whose content is a text. */
export const isWritten = (type: string): boolean => type === "text" || type === "template";

/** A word for a message without text. A written message without text was erased or withdrawn. */
export function kindOf(type: string, t: TFunction): string {
  const kind = kinds.get(type);
  if (kind) return t(`thread.${kind}`);
  return isWritten(type) ? t("erased.message") : type;
}
