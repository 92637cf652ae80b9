import { orderStatuses } from "./order.ts";

/** The tabs of the listing, each with the status that stands for it: 3 shows where 2 does. */
export const tabs = {
  pending: orderStatuses.pending,
  progress: orderStatuses.inProgress,
  "on-the-way": orderStatuses.onTheWay[0],
  completed: orderStatuses.completed,
  cancelled: orderStatuses.cancelled,
} as const;
export type Tab = keyof typeof tabs;
export const tabNames = Object.keys(tabs) as readonly Tab[];
