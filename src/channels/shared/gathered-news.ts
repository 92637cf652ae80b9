import { noNews, type WebhookNews } from "../../inbox/public.ts";

export type GatheredNews = { -readonly [Kind in keyof WebhookNews]: WebhookNews[Kind][number][] };

export const nothingGathered = (): GatheredNews =>
  Object.fromEntries(Object.keys(noNews).map((kind) => [kind, []])) as unknown as GatheredNews;
