import { queryOptions } from "@tanstack/react-query";
import enUrl from "emojibase-data/en/compact.json?url";
import esUrl from "emojibase-data/es/compact.json?url";
import ptUrl from "emojibase-data/pt/compact.json?url";
import { storage } from "../shared/storage.ts";
import { plain } from "./quick-replies.ts";

export interface Emoji {
  readonly unicode: string;
  readonly label: string;
  readonly group: number;
  /** The label and the tags without capitals and accents. */
  readonly words: string;
}

interface Compact {
  readonly unicode: string;
  readonly label: string;
  readonly tags?: readonly string[];
  readonly group?: number;
  readonly order?: number;
}

/** The groups to choose from, each with the emoji on its button. */
export const groups = [
  [0, "😀"],
  [1, "👋"],
  [3, "🐻"],
  [4, "🍔"],
  [5, "🚗"],
  [6, "⚽"],
  [7, "💡"],
  [8, "❤️"],
  [9, "🏁"],
] as const;

const urls: Readonly<Record<string, string>> = { es: esUrl, en: enUrl, pt: ptUrl };
const limitMs = 15_000;

/** The emoji of a language, which stay in memory. */
export const emojiQuery = (language: string) =>
  queryOptions({
    queryKey: ["emoji", language],
    queryFn: () => fetchEmoji(language),
    gcTime: Number.POSITIVE_INFINITY,
  });

/** Loads the emoji from this service, not from another host. */
async function fetchEmoji(language: string): Promise<Emoji[]> {
  const answer = await fetch(urls[language] ?? esUrl, { signal: AbortSignal.timeout(limitMs) });
  const all = (await answer.json()) as Compact[];
  return all
    .filter(({ group, order }) => group !== undefined && order !== undefined)
    .sort((a, b) => (a.order ?? 0) - (b.order ?? 0))
    .map(({ unicode, label, tags = [], group = 0 }) => ({
      unicode,
      label,
      group,
      words: plain([label, ...tags].join(" ")),
    }));
}

const recentName = "recado.emoji";
const mostRecent = 24;

export const recentEmoji = (): string[] => (storage.get(recentName) ?? "").split(" ").filter(Boolean);

export const keepRecent = (unicode: string): void =>
  storage.set(recentName, [unicode, ...recentEmoji().filter((one) => one !== unicode)].slice(0, mostRecent).join(" "));
