/** The tabs of the listing, each with the status that stands for it: 3 shows where 2 does. */
export const tabs = { pending: 8, progress: 1, "on-the-way": 2, completed: 4, cancelled: 5 } as const;
export type Tab = keyof typeof tabs;
export const tabNames = Object.keys(tabs) as readonly Tab[];
