import { domainError } from "../../kernel/errors.ts";
import { idIn, idsIn } from "../../kernel/ids.ts";
import { type MessageContent, mediaKindOf, storedMedia } from "../../messaging/public.ts";
import type { OpeningHours } from "./opening-hours.ts";

/** The first two states are open. */
export const ticketStates = ["pending", "in_progress", "completed", "cancelled"] as const;
export type TicketState = (typeof ticketStates)[number];
export const ticketEnds = ["completed", "cancelled"] as const satisfies readonly TicketState[];
export type TicketEnd = (typeof ticketEnds)[number];

/** The state of a chat's open tickets after an agent got the chat, or after the chat returned to the waiting line. */
export const openTicketsAfter: Readonly<Record<"attend" | "queue", Exclude<TicketState, TicketEnd>>> = {
  attend: "in_progress",
  queue: "pending",
};

/** The step that creates a ticket, with its department and business. */
export interface TicketSetup {
  readonly businessId: number;
  readonly businessName: string;
  /** The raw setting of the business. */
  readonly timezone: string | null;
  readonly stepId: number;
  readonly stepName: string;
  /** The greeting for the contact; may be empty. */
  readonly content: string;
  /** The greeting's file: a stored file or an address, with its MIME type. */
  readonly media: string | null;
  readonly mediaUrl: string | null;
  readonly mediaType: string | null;
  readonly tags: string | null;
  readonly agent: string | null;
  /** Null if any agent of the business may take the ticket, at any time. */
  readonly departmentId: number | null;
  readonly openingHours: OpeningHours | null;
  readonly outOfHoursMessage: string | null;
}

const defaultOutOfHoursMessage =
  "En este momento no hay nadie disponible. Tu consulta quedó registrada y te responderemos lo antes posible.";

/** The text for the contact when no agent is available. */
export const outOfHoursText = ({ outOfHoursMessage }: TicketSetup): string =>
  outOfHoursMessage?.trim() || defaultOutOfHoursMessage;

/** The message for the contact when the ticket is created; null if none is sent. */
export function welcome(setup: TicketSetup, mediaBaseUrl: string | null): MessageContent | null {
  const text = setup.content.trim();
  const link = storedMedia(setup.mediaUrl?.trim() || setup.media, mediaBaseUrl);
  if (link) return { text, media: { type: mediaKindOf(setup.mediaType), link } };
  return text === "" ? null : { text };
}

/** Notes in the chat, for agents only. */
export const ticketNote = ({ stepName }: TicketSetup, agentName: string): string =>
  `Ticket nuevo: ${stepName} (${agentName})`;
export const waitingNote = ({ stepName }: TicketSetup): string => `Nadie disponible: ${stepName}`;

const mostTagsOfStep = 100;

/** Finds the ids in the text of a step's tags. Ignores words that are not ids. */
export const tagIds = (tags: string | null): number[] => idsIn(tags ?? "").slice(0, mostTagsOfStep);

export const namedAgent = ({ agent }: Pick<TicketSetup, "agent">): number | null => idIn(agent);

/** The step does not exist, or it does not create tickets. */
export class StepNotFound extends domainError("step_not_found") {}

export class StepOfAnotherBusiness extends domainError("step_of_another_business") {}
