import type { Dialect, InvalidInput } from "../../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route, type Rules } from "../../../../infra/http/routing/route.ts";
import {
  integer,
  named,
  nullableInteger,
  nullableText,
  objectWith,
  optionalFields,
  orNull,
  problem,
  text,
} from "../../../../infra/http/routing/schema.ts";
import { wireFields } from "../../../../infra/http/routing/wire-fields.ts";
import { afterChange } from "../../../../kernel/errors.ts";
import type { CampaignControl, CampaignReads, CampaignStatus } from "../../../application/campaigns/operator-ports.ts";
import {
  type CampaignAction,
  CampaignNotFound,
  type CampaignState,
  CampaignWithoutSender,
  campaignStates,
  openStates,
  recipientStates,
  sendingStates,
  WrongCampaignState,
} from "../../../domain/campaign.ts";
import { page } from "./campaign-input.ts";
import { listFailures, listRecipients } from "./recipients.routes.ts";
import { common, demanded, dialect, failures, listDialect, listOf } from "./shared.ts";

const listPage = 20;
/** The longest search text. No campaign's name is longer. */
const longestQuery = 200;

/** Recipients by state. */
export const campaignCounts = named(
  "CampaignCounts",
  objectWith(Object.fromEntries(recipientStates.map((state) => [state, integer]))),
);

const fields = wireFields<CampaignStatus & { readonly secondsLeft: number | null }>({
  id: ["id", integer],
  nombre: ["name", text],
  state: ["state", { type: "string", enum: campaignStates }],
  pause_reason: ["pauseReason", nullableText],
  plantilla_id: ["templateId", integer],
  user_id: ["userId", integer],
  step: ["stepId", integer],
  total: ["total", integer],
  counts: ["counts", campaignCounts],
  rate: ["rate", { type: "number" }],
  seconds_left: ["secondsLeft", nullableInteger],
  schedule_at: ["startsAt", text],
  send_window: ["window", orNull(objectWith({ from: text, to: text }))],
  created_at: ["createdAt", text],
  finished_at: ["finishedAt", nullableText],
});

const campaign = named("Campaign", objectWith(fields.properties));

const actionDialect: Dialect<InvalidInput | CampaignNotFound | WrongCampaignState | CampaignWithoutSender> = {
  ...dialect,
  campaign_without_sender: () => [409, { message: "No es posible: el número de la campaña fue eliminado" }],
  wrong_campaign_state: ({ state }) => [409, { message: `No es posible: la campaña está en ${state}` }],
};

/** Called for a campaign that an operator changed. Returns at once. */
type Changed = (businessId: number, campaignId: number) => void;

/** @param slowReads - reads through a pool with a long statement timeout */
export const campaignRoutes = (
  reads: CampaignReads,
  slowReads: CampaignReads,
  control: CampaignControl,
  changed: Changed,
): Route[] => [
  showCampaign(reads),
  listCampaigns(reads),
  listRecipients(slowReads),
  listFailures(slowReads),
  ...(Object.keys(actions) as CampaignAction[]).map((action) => actionRoute(action, reads, control, changed)),
];

const showCampaign = (reads: CampaignReads): Route =>
  defineRoute({
    ...common,
    method: "get",
    path: "/campaigns/:id",
    operationId: "getCampaign",
    summary: "Get a campaign's state: recipients by state, rate, time left, and why it is paused",
    rules: {
      "Campaigns.5":
        "`counts` has the number of recipients in each state; `rate` is the messages per second over the last ten seconds. " +
        "`seconds_left` estimates how long the sending takes, from `rate` or, before the first message, from the number's " +
        "limit; the time until a later start does not count. It is null if a begun campaign sends nothing: it is not running, its " +
        "window is closed, or its number rests.",
    },
    responses: { 200: { description: "The campaign", schema: campaign }, ...failures },
    handle: async ({ params: { id }, caller }) => toWire(await demanded(reads, caller.businessId, id)),
  });

const listCampaigns = (reads: CampaignReads): Route =>
  defineRoute({
    method: "get",
    path: "/campaigns",
    operationId: "listCampaigns",
    tag: "Campaigns",
    summary: `List the campaigns of the business, newest first, ${listPage} per page`,
    rules: {
      "Campaigns.6":
        "Each campaign has the fields of `GET /campaigns/{id}`. `state` selects campaigns in that state, `q` those whose name " +
        "contains the text, in upper or lower case. `total` counts the selected campaigns.",
    },
    auth: "key-or-session",
    forAdministrators: true,
    query: optionalFields({
      page,
      state: { type: "string", enum: campaignStates },
      q: { type: "string", maxLength: longestQuery },
    }),
    responses: {
      200: { description: "A page of campaigns", schema: listOf(campaign) },
      400: failures[400],
      500: failures[500],
    },
    dialect: listDialect,
    handle: async ({ query, caller }) => {
      const filter = { state: query.state ?? null, text: query.q?.trim() ?? "" };
      const { total, campaigns } = await reads.list(caller.businessId, filter, query.page, listPage);
      return { data: campaigns.map(toWire), total, page: query.page, hasNextPage: query.page * listPage < total };
    },
  });

const requeueing =
  "Allowed in every state except `cancelled`. A completed campaign runs again, unless its sender was deleted.";

const actions: Readonly<Record<CampaignAction, { readonly summary: string; readonly rules: Rules }>> = {
  pause: {
    summary: "Stop sending until the campaign is resumed",
    rules: { "Campaigns.7": "Allowed in `running`. Messages that are being sent still go out." },
  },
  resume: {
    summary: "Continue a paused campaign",
    rules: {
      "Campaigns.8": "Allowed in `paused`, whether an operator or the platform's refusals (`pause_reason`) paused it.",
    },
  },
  cancel: {
    summary: "Stop for good; queued recipients are cancelled",
    rules: { "Campaigns.9": "Allowed in `running` and `paused`. A cancelled campaign is never sent again." },
  },
  "retry-failed": { summary: "Queue the failed recipients again", rules: { "Campaigns.10": requeueing } },
  "resend-unknown": {
    summary: "Queue the recipients in state `unknown` again: some may get the message twice",
    rules: { "Campaigns.11": requeueing },
  },
};

const actionRoute = (action: CampaignAction, reads: CampaignReads, control: CampaignControl, changed: Changed): Route =>
  defineRoute({
    ...common,
    method: "post",
    path: `/campaigns/:id/${action}`,
    operationId: `${action.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Campaign`,
    ...actions[action],
    scope: "send",
    responses: {
      200: { description: "The campaign after the change", schema: campaign },
      409: { description: "The campaign's state does not allow it, or its sender was deleted", schema: problem },
      ...failures,
    },
    dialect: actionDialect,
    handle: async ({ params: { id }, caller }) => {
      // `changed` is called after a failure, too, because some recipients of a large campaign may have been changed.
      const applied = await control.apply(caller.businessId, id, action).catch((error: unknown) => {
        changed(caller.businessId, id);
        throw error;
      });
      if (!applied) throw new CampaignNotFound(`campaign ${id}`);
      if (!applied.hasSender) throw new CampaignWithoutSender(`campaign ${id}`);
      if (!applied.done) throw new WrongCampaignState(applied.before);
      changed(caller.businessId, id);
      return toWire(await afterChange(demanded(reads, caller.businessId, id)));
    },
  });

/** A campaign that still sends nothing this many seconds after its start gets no estimate of the time left. */
const beginsWithin = 10;

/**
 * Estimates how many seconds of sending are left; the wait for a later start does not count. Divides the open
 * recipients by the campaign's rate, or before the first message by the phone number's rate. Null if the campaign is
 * not running, its number was deleted, or it has begun but sends nothing (its window is closed, or its number rests).
 */
function secondsLeft({ state, counts, rate, messagesPerSecond, startsAt }: CampaignStatus): number | null {
  const sinceBegin = (Date.now() - startsAt.getTime()) / 1000;
  const sends = (sendingStates as readonly CampaignState[]).includes(state);
  if (!sends || messagesPerSecond === null || (rate === 0 && sinceBegin > beginsWithin)) return null;
  const open = openStates.reduce((sum, each) => sum + counts[each], 0);
  return Math.ceil(open / (rate > 0 ? rate : messagesPerSecond));
}

const toWire = (status: CampaignStatus) => fields.toWire({ ...status, secondsLeft: secondsLeft(status) });
