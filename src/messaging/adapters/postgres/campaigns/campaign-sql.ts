import { quoted, rankIn } from "../../../../infra/postgres/sql-text.ts";
import {
  type CampaignState,
  campaignMoves,
  deliveryOrder,
  type Move,
  type RecipientState,
  recipientMoves,
  sendingStates,
} from "../../../domain/campaign.ts";

type State = CampaignState | RecipientState;

/** Returns `in (...)`, to be written after the name of a column. */
export const isIn = (states: readonly State[]): string => `in (${quoted(...states)})`;

/** Turns moves into SQL for `set state = ${move.to} where state ${move.from}`. */
const inSql = <Name extends string>(moves: Readonly<Record<Name, Move<State>>>) =>
  Object.fromEntries(
    Object.entries<Move<State>>(moves).map(([name, { from, to }]) => [name, { from: isIn(from), to: quoted(to) }]),
  ) as Readonly<Record<Name, { readonly from: string; readonly to: string }>>;

export const campaignMove = inSql(campaignMoves);
export const recipientMove = inSql(recipientMoves);

const itsTime = "(now() at time zone campaign.timezone)::time";

/** Whether the row `campaign` may send now: it has started, is not paused, and is inside its daily window. */
export const sendsNow = `
  campaign.state ${isIn(sendingStates)} and campaign.starts_at <= now()
  and (campaign.window_from is null
       or campaign.window_from <= campaign.window_to
          and ${itsTime} >= campaign.window_from and ${itsTime} < campaign.window_to
       -- Over midnight.
       or campaign.window_from > campaign.window_to
          and (${itsTime} >= campaign.window_from or ${itsTime} < campaign.window_to))`;

export const isDue = `recipient.state ${recipientMove.claim.from} and recipient.due_at <= now()`;

/** True if the row `campaign` has recipients that are queued or are being sent to. */
export const isOpen = `(
  exists (
    select 1 from campaign_recipients as recipient
    where recipient.business_id = campaign.business_id and recipient.campaign_id = campaign.id
      and recipient.state ${recipientMove.claim.from})
  or exists (
    select 1 from campaign_recipients as recipient
    where recipient.business_id = campaign.business_id and recipient.campaign_id = campaign.id
      and recipient.lease_until is not null and recipient.state = ${recipientMove.claim.to}))`;

/** A JSON object with the number of recipients of the row `campaign` in each state. */
export const countsByState = `
  (select coalesce(jsonb_object_agg(state, count), '{}') from (
     select recipient.state, count(*) from campaign_recipients as recipient
     where recipient.business_id = campaign.business_id and recipient.campaign_id = campaign.id
     group by recipient.state) as by_state)`;

/** SQL for the position of a state in `deliveryOrder`, from 1. */
export const rank = (state: string): string => rankIn(deliveryOrder, state);
