/** The places of the settings, as their menu groups them. Each has a title and a lead in the texts, and a route. */
export const groups = [
  { group: "team", places: ["users", "departments"] },
  { group: "customers", places: ["templates"] },
  { group: "connections", places: ["numbers", "app-keys", "webhooks"] },
  { group: "business", places: ["business", "flags", "audit"] },
] as const;

export type Place = (typeof groups)[number]["places"][number];
