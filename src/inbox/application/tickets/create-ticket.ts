import { beforeAll } from "../../../kernel/errors.ts";
import type { EventFeed } from "../../../kernel/events.ts";
import { KeyedMutex } from "../../../kernel/keyed-mutex.ts";
import type { SendMessage } from "../../../messaging/public.ts";
import { type ChatTaken, refuseTaken } from "../../domain/acting.ts";
import { chooseAgent } from "../../domain/assignment.ts";
import { isOpenAt } from "../../domain/opening-hours.ts";
import {
  namedAgent,
  outOfHoursText,
  StepNotFound,
  StepOfAnotherBusiness,
  type TicketSetup,
  waitingNote,
} from "../../domain/ticket.ts";
import { noTickets, type OpenedTickets, openTickets } from "./open-tickets.ts";
import type { ConversationThread, TicketDesk, TicketSetups, TicketStores, TicketUnitOfWork } from "./ports.ts";

export interface CreateTicketCommand {
  readonly businessId: number;
  readonly stepId: number;
  /** The caller's user id if the caller is an agent: an agent may not take over another agent's chat. */
  readonly agentId?: number | null;
  /** Digits only. */
  readonly phone: string;
  /** The contact's name if the contact has to be created. Default: the phone number. */
  readonly contactName?: string;
}

export interface CreatedTicket {
  readonly chatId: number;
  /** Null if no agent is available or the line is closed: then the conversation waits for an agent. */
  readonly ticketId: number | null;
}

export type CreateTicketFailure = StepNotFound | StepOfAnotherBusiness | ChatTaken;

interface Outcome extends OpenedTickets {
  readonly chatId: number;
}

/** Creates a step's ticket for a contact and assigns an agent; without an available agent the contact waits. */
export class CreateTicket {
  /** Requests for the same line wait here in memory, so that they hold no database connection while they wait. */
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly setups: TicketSetups,
    private readonly unitOfWork: TicketUnitOfWork,
    private readonly feed: EventFeed,
    private readonly sends: Pick<SendMessage, "sendInBackground">,
    private readonly mediaBaseUrl: string | null,
  ) {}

  async execute(command: CreateTicketCommand): Promise<CreatedTicket> {
    const { businessId, stepId } = command;
    const setup = await beforeAll(this.setups.find(businessId, stepId));
    if (setup === "missing") throw new StepNotFound(`step ${stepId}`);
    if (setup === "foreign") throw new StepOfAnotherBusiness(`step ${stepId} for business ${businessId}`);
    const { chatId, ticketIds, events, messages } = await beforeAll(
      this.mutex.runExclusive(`${businessId} ${setup.departmentId}`, () =>
        this.unitOfWork.run(businessId, (stores) => createOn(stores, setup, command, this.mediaBaseUrl)),
      ),
    );
    this.feed.publish(events);
    await this.sends.sendInBackground(messages);
    return { chatId, ticketId: ticketIds[0] ?? null };
  }
}

async function createOn(
  stores: TicketStores,
  setup: TicketSetup,
  command: CreateTicketCommand,
  mediaBaseUrl: string | null,
): Promise<Outcome> {
  const { desk, lines } = stores;
  const { businessId, phone, contactName = phone, agentId = null } = command;
  const now = await lines.hold(setup);
  const thread = await desk.thread(businessId, phone, contactName);
  const { chatId } = thread;
  if (agentId !== null) refuseTaken({ holder: await desk.holder(businessId, chatId) }, { agentId });
  const open = await desk.openTicket(businessId, chatId, setup.stepId);
  if (open !== null) return { ...noTickets, chatId, ticketIds: [open] };
  const agent = await availableAgent(desk, setup, now);
  const opened = agent
    ? await openTickets(desk, [{ ...thread, setup, agent }], mediaBaseUrl)
    : await waitOn(stores, setup, thread);
  return { ...opened, chatId };
}

async function availableAgent(desk: TicketDesk, setup: TicketSetup, now: Date) {
  if (!isOpenAt(setup, now)) return null;
  const named = namedAgent(setup);
  return chooseAgent(await desk.agents(setup, named === null ? [] : [named]), named);
}

async function waitOn(
  { desk, waiting }: TicketStores,
  setup: TicketSetup,
  thread: ConversationThread,
): Promise<OpenedTickets> {
  const { businessId, businessName: authorName, stepId } = setup;
  const { isToBeTold, events: moved } = await waiting.enter(businessId, thread, stepId);
  if (!isToBeTold) return { ...noTickets, events: moved };
  const author = { businessId, authorName };
  const noted = await desk.note(author, [{ ...thread, body: waitingNote(setup), details: { stepId } }]);
  const messages = await desk.openMessages(author, [{ ...thread, content: { text: outOfHoursText(setup) } }]);
  return { ticketIds: [], events: [...moved, ...noted], messages };
}
