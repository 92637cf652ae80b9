import type { components } from "../../../client/src/index.ts";
import { answered, api, largeBody, Refused } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";
import type { CampaignSearch } from "./campaign-search.ts";

export type Campaign = components["schemas"]["Campaign"];
export type Counts = components["schemas"]["CampaignCounts"];
export type RecipientState = keyof Counts;
export type NewCampaign = components["schemas"]["NewCampaign"];
export type Preview = components["schemas"]["CampaignPreview"];
export type Template = components["schemas"]["Template"];

/**
 * A message passes through the first five states in this order. `unknown` means that the message may have been sent or
 * not. The last three states mean that it was not delivered.
 */
export const recipientStates = [
  "queued",
  "sending",
  "sent",
  "delivered",
  "read",
  "unknown",
  "failed",
  "skipped",
  "cancelled",
] as const satisfies readonly RecipientState[];

export const listKey = ["campaigns"] as const;
export const campaignKey = (id: number) => ["campaign", id] as const;

export const fetchCampaigns = ({ progress: state, q }: CampaignSearch, page: number, signal: AbortSignal) =>
  answered(api.GET("/campaigns", { params: { query: { page, ...(state && { state }), ...(q && { q }) } }, signal }));

/** Returns null if the campaign does not exist. */
export async function fetchCampaign(id: number): Promise<Campaign | null> {
  try {
    return await answered(api.GET("/campaigns/{id}", { params: { path: { id } } }));
  } catch (error) {
    if (error instanceof Refused && (error.status === 404 || error.status === 400)) return null;
    throw error;
  }
}

export const fetchFailures = async (id: number) =>
  (await answered(api.GET("/campaigns/{id}/failures", { params: { path: { id } } }))).data;

export const fetchRecipients = (id: number, state: RecipientState | null, page: number) =>
  answered(
    api.GET("/campaigns/{id}/recipients", {
      params: { path: { id }, query: { page, ...(state && { state }) } },
    }),
  );

export const actions = ["pause", "resume", "cancel", "retry-failed", "resend-unknown"] as const;
export type Action = (typeof actions)[number];

export function act(id: number, action: Action): Promise<Campaign> {
  const params = { params: { path: { id } } };
  if (action === "pause") return answered(api.POST("/campaigns/{id}/pause", params));
  if (action === "resume") return answered(api.POST("/campaigns/{id}/resume", params));
  if (action === "cancel") return answered(api.POST("/campaigns/{id}/cancel", params));
  if (action === "retry-failed") return answered(api.POST("/campaigns/{id}/retry-failed", params));
  return answered(api.POST("/campaigns/{id}/resend-unknown", params));
}

/** The actions that are possible now, the most useful one first. */
export function actionsFor({ state, counts }: Campaign): Action[] {
  if (state === "cancelled") return [];
  return [
    ...(state === "running" ? (["pause"] as const) : []),
    ...(state === "paused" ? (["resume"] as const) : []),
    ...(counts.failed > 0 ? (["retry-failed"] as const) : []),
    ...(counts.unknown > 0 ? (["resend-unknown"] as const) : []),
    ...(state === "running" || state === "paused" ? (["cancel"] as const) : []),
  ];
}

export const doneOf = ({ counts, total }: Pick<Campaign, "counts" | "total">): number =>
  total - counts.queued - counts.sending;

export async function fetchTemplates(businessId: number, userId: number): Promise<Template[]> {
  const body = { empresa_id: businessId, usuario_id: userId };
  return (await answered(api.POST("/chats/obtener/mensaje/plantilla", { body }))).plantillas;
}

export const fetchSteps = async (businessId: number) =>
  (
    await answered(
      api.GET("/chats/obtener/pasos/tickets/{empresa_id}", { params: { path: { empresa_id: businessId } } }),
    )
  ).pasos;

export const preview = (campaign: NewCampaign): Promise<Preview> =>
  answered(api.POST("/campaigns/preview", { body: campaign }));

/** Checks every recipient and the sender. */
export const checkCampaign = (campaign: NewCampaign, signal: AbortSignal): Promise<Preview> =>
  answered(
    api.POST("/campaigns/preview", { params: { query: { check: true } }, body: campaign, signal, ...largeBody }),
  );

/** Returns the campaign's id. `once` is the Idempotency-Key: a repeated attempt must have the same key. */
export async function register(campaign: NewCampaign, once: string): Promise<number> {
  const asked = api.POST("/chats/enviar/masivo/plantilla", {
    params: { header: { "Idempotency-Key": once } },
    body: campaign,
    ...largeBody,
  });
  await answered(asked);
  void queryClient.invalidateQueries({ queryKey: listKey });
  return Number((await asked).response.headers.get("x-campaign-id"));
}

/** Updates the cached campaign and makes the console read the lists of campaigns again. */
export function showCampaign(campaign: Campaign): void {
  queryClient.setQueryData(campaignKey(campaign.id), campaign);
  void queryClient.invalidateQueries({ queryKey: listKey });
}
