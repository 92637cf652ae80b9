import { DomainError } from "../../kernel/errors.ts";
import { idIn, idsIn } from "../../kernel/ids.ts";
import { type MessageContent, mediaKindOf, storedMedia } from "../../messaging/public.ts";
import type { OpeningHours } from "./opening-hours.ts";

/** A ticket is open in the first two. */
export const ticketStates = ["pending", "in_progress", "completed", "cancelled"] as const;
export type TicketState = (typeof ticketStates)[number];
export type OpenTicketState = "pending" | "in_progress";
/** How an agent ends one. */
export type TicketEnd = Exclude<TicketState, OpenTicketState>;
export const ticketEnds = ["completed", "cancelled"] as const satisfies readonly TicketEnd[];

/** What becomes of a chat's open tickets: an agent has the chat in hand; or it goes back to those who wait. */
export const ticketMoves: Readonly<Record<"attend" | "queue", Readonly<Record<OpenTicketState, OpenTicketState>>>> = {
  attend: { pending: "in_progress", in_progress: "in_progress" },
  queue: { pending: "pending", in_progress: "pending" },
};

/** What a step says of its tickets, together with its department and business. */
export interface TicketSetup {
  readonly businessId: number;
  readonly businessName: string;
  /** As the business names it. */
  readonly timezone: string | null;
  readonly stepId: number;
  readonly stepName: string;
  /** Greets the contact; may be empty. */
  readonly content: string;
  /** Goes with it: a stored file or an address, and its MIME type. */
  readonly media: string | null;
  readonly mediaUrl: string | null;
  readonly mediaType: string | null;
  readonly tags: string | null;
  readonly agent: string | null;
  /** Without one, any agent of the business takes the ticket, at any time. */
  readonly departmentId: number | null;
  readonly openingHours: OpeningHours | null;
  readonly outOfHoursMessage: string | null;
}

const defaultOutOfHoursMessage =
  "En este momento no hay nadie disponible. Tu consulta quedó registrada y te responderemos lo antes posible.";

/** What the contact reads when no agent is available. */
export const outOfHoursText = ({ outOfHoursMessage }: TicketSetup): string =>
  outOfHoursMessage?.trim() || defaultOutOfHoursMessage;

/** What the contact gets when there is a ticket; null for nothing. */
export function welcome(setup: TicketSetup, mediaBaseUrl: string | null): MessageContent | null {
  const text = setup.content.trim();
  const link = storedMedia(setup.mediaUrl?.trim() || setup.media, mediaBaseUrl);
  if (link) return { text, media: { type: mediaKindOf(setup.mediaType), link } };
  return text === "" ? null : { text };
}

/** What the agents read in the chat. */
export const ticketNote = ({ stepName }: TicketSetup, agentName: string): string =>
  `Ticket nuevo: ${stepName} (${agentName})`;
export const waitingNote = ({ stepName }: TicketSetup): string => `Nadie disponible: ${stepName}`;

const mostTagsOfStep = 100;

/** The ids in a step's tags; what is no id is left out. */
export const tagIds = (tags: string | null): number[] => idsIn(tags ?? "").slice(0, mostTagsOfStep);

/** The agent whom a step names. */
export const namedAgent = ({ agent }: Pick<TicketSetup, "agent">): number | null => idIn(agent);

/** There is no such step, or it opens no tickets. */
export class StepNotFound extends DomainError<"step_not_found"> {
  readonly code = "step_not_found";
}

export class StepOfAnotherBusiness extends DomainError<"step_of_another_business"> {
  readonly code = "step_of_another_business";
}
