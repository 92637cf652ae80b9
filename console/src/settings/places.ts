/** The places of the settings, as their menu groups them. Each has a title and a lead in the texts, and a route. */
export const groups = [
  { group: "customers", places: ["templates"] },
  { group: "connections", places: ["numbers", "app-keys", "webhooks"] },
] as const;

export type Place = (typeof groups)[number]["places"][number];
