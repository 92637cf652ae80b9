import type { ChatState } from "../shared/api.ts";
import { idParam, oneOf, said, textParam } from "../shared/search-params.ts";
import { type View, views } from "./chat-lists.ts";

/** The parameters of the inbox in the page's URL. */
export interface InboxSearch {
  readonly view?: View;
  readonly q?: string;
  readonly state?: ChatState;
  readonly department?: number;
  readonly tag?: number;
}

export const chatStates: readonly ChatState[] = ["bot", "pendiente", "proceso", "cerrado"];

export function inboxSearch({ view, q, state, department, tag }: Record<string, unknown>): InboxSearch {
  return said<InboxSearch>({
    view: view === "all" ? undefined : oneOf(views, view),
    q: textParam(q),
    state: oneOf(chatStates, state),
    department: idParam(department),
    tag: idParam(tag),
  });
}

export type Part = "state" | "department" | "tag";
export type Chosen = { readonly [Each in Part]?: InboxSearch[Each] | undefined };

export const noFilters: Chosen = { state: undefined, department: undefined, tag: undefined };

export const isFiltered = ({ state, department, tag }: Chosen): boolean =>
  state !== undefined || department !== undefined || tag !== undefined;
