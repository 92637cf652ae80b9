/** The settings pages in the menu's groups. Each page needs a title and a description in the texts, and a route. */
export const groups = [
  { group: "team", places: ["users", "departments"] },
  { group: "customers", places: ["templates", "quick-replies", "tags", "steps"] },
  { group: "shop", places: ["articles", "extras", "zones", "branches", "drivers"] },
  { group: "connections", places: ["numbers", "ad-accounts", "app-keys", "webhooks"] },
  { group: "business", places: ["business", "flags", "audit"] },
] as const;

export type Place = (typeof groups)[number]["places"][number];
