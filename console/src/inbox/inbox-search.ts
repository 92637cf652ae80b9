import type { ChatState } from "../shared/api.ts";
import { type View, views } from "./chat-lists.ts";

/** What an address says of the list; what it says wrongly counts as not said. */
export interface InboxSearch {
  readonly view?: View;
  readonly q?: string;
  readonly state?: ChatState;
  readonly department?: number;
  readonly tag?: number;
}

export const chatStates: readonly ChatState[] = ["bot", "pendiente", "proceso", "cerrado"];

const idOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined;

export function inboxSearch({ view, q, state, department, tag }: Record<string, unknown>): InboxSearch {
  const search = {
    view: views.find((each) => each === view && each !== "all"),
    q: (typeof q === "string" || typeof q === "number") && q !== "" ? String(q).slice(0, 100) : undefined,
    state: chatStates.find((each) => each === state),
    department: idOf(department),
    tag: idOf(tag),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

export type Part = "state" | "department" | "tag";
export type Chosen = { readonly [Each in Part]?: InboxSearch[Each] | undefined };

export const isFiltered = ({ state, department, tag }: Chosen): boolean =>
  state !== undefined || department !== undefined || tag !== undefined;
