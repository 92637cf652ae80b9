import { answered, api, type paths } from "../shared/api.ts";

export type Sender = paths["/admin/senders/{id}"]["get"]["responses"][200]["content"]["application/json"];

export const key = "senders";

export const readSender = (id: number) => answered(api.GET("/admin/senders/{id}", { params: { path: { id } } }));

const states = ["open", "connecting", "close"] as const;

/** Null for a state that has no translation. */
export function stateOf({ provider, state }: Sender): (typeof states)[number] | "none" | "unpaired" | null {
  if (state === null || state === undefined) return provider === "qr" ? "unpaired" : "none";
  if (state === "CONNECTED") return "open";
  return states.find((each) => each === state) ?? null;
}
