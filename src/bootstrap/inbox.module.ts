import { ContainerModule } from "inversify";
import { actOnChatsRoutes } from "../inbox/adapters/http/act-on-chats.routes.ts";
import { answerChatRoute } from "../inbox/adapters/http/answer-chat.route.ts";
import { createTicketRoute } from "../inbox/adapters/http/create-ticket.route.ts";
import { ownRoutes } from "../inbox/adapters/http/own.routes.ts";
import { readInboxRoutes } from "../inbox/adapters/http/read-inbox.routes.ts";
import { ticketStepsRoute } from "../inbox/adapters/http/ticket-steps.route.ts";
import { PostgresActingReads } from "../inbox/adapters/postgres/acting-reads.ts";
import { PostgresAnswerDesk } from "../inbox/adapters/postgres/answer-desk.ts";
import { PostgresChatCounts } from "../inbox/adapters/postgres/chat-counts.ts";
import { PostgresChatDesk } from "../inbox/adapters/postgres/chat-desk.ts";
import { PostgresChatMarks } from "../inbox/adapters/postgres/chat-marks.ts";
import { PostgresInboxReads } from "../inbox/adapters/postgres/inbox-reads.ts";
import { PostgresLeavingUsers } from "../inbox/adapters/postgres/leaving-users.ts";
import { PostgresOutgoingMessages } from "../inbox/adapters/postgres/outgoing-messages.ts";
import { PostgresOwnDesk } from "../inbox/adapters/postgres/own-desk.ts";
import { PostgresTicketDesk } from "../inbox/adapters/postgres/ticket-desk.ts";
import { PostgresTicketSetups, PostgresTicketSteps } from "../inbox/adapters/postgres/ticket-steps.ts";
import { PostgresDepartmentDesk, PostgresWaitingChats } from "../inbox/adapters/postgres/waiting-chats.ts";
import { PostgresWaitingLines, PostgresWaitingTickets } from "../inbox/adapters/postgres/waiting-tickets.ts";
import { quickReplyText } from "../inbox/adapters/wire/quick-reply-text.ts";
import {
  type ActingStores,
  ActOnChats,
  AnswerChat,
  AssignWaiting,
  AssignWaitingChats,
  Availability,
  CreateTicket,
  GiveOutSoon,
  HandOverChats,
  ReadInbox,
  type TicketStores,
} from "../inbox/public.ts";
import type { Secrets } from "../infra/crypto/secrets.ts";
import { background } from "../infra/jobs/background.ts";
import { tick } from "../infra/jobs/clock.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell } from "../infra/postgres/database.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cloudChannel } from "../kernel/channels.ts";
import type { Config } from "./config.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

export const inboxModule = new ContainerModule(({ bind }) => {
  provide(
    bind,
    tokens.outgoingMessages,
    [tokens.cells, tokens.config, tokens.secrets, tokens.earlyLoop],
    (cells, { messages }, secrets, early) =>
      new PostgresOutgoingMessages(cells, messages.leaseSeconds, digesting(secrets), () => early.nudge()),
  );
  provide(
    bind,
    tokens.createTicket,
    [tokens.cells, tokens.config, tokens.feed, tokens.sendMessage, tokens.secrets],
    (cells, config, feed, send, secrets) =>
      new CreateTicket(
        new PostgresTicketSetups(cells),
        ticketUnitOfWork(cells, config, secrets),
        feed,
        send,
        config.media.baseUrl || null,
      ),
  );
  provide(
    bind,
    tokens.assignWaiting,
    [tokens.cells, tokens.config, tokens.feed, tokens.sendMessage, tokens.secrets, tokens.log],
    (cells, config, feed, send, secrets, log) =>
      new AssignWaiting(
        new PostgresWaitingLines(cells),
        ticketUnitOfWork(cells, config, secrets),
        feed,
        send,
        config.media.baseUrl || null,
        (error, { businessId, departmentId }) =>
          log.error({ err: error, businessId, departmentId }, "those who wait could not be given agents"),
      ),
  );

  provide(bind, tokens.tick, [tokens.assignWaiting], (assignWaiting) =>
    tick("tickets.assign-waiting", 10, (signal) => assignWaiting.execute(signal)),
  );
  provide(bind, tokens.routes, [tokens.cells, tokens.createTicket], (cells, createTicket) => [
    ticketStepsRoute(new PostgresTicketSteps(cells)),
    createTicketRoute(createTicket),
  ]);
  provide(bind, tokens.routes, [tokens.cells, tokens.ordersOfChat], (cells, orders) =>
    readInboxRoutes(new ReadInbox(new PostgresInboxReads(cells), orders)),
  );
  provide(bind, tokens.actingUnitOfWork, [tokens.cells, tokens.config], (cells, { messages }) => {
    return new PostgresUnitOfWork(cells, (transaction): ActingStores => {
      return {
        chats: new PostgresChatDesk(transaction),
        marks: new PostgresChatMarks(transaction),
        answers: new PostgresAnswerDesk(transaction, messages.leaseSeconds),
        departments: new PostgresDepartmentDesk(transaction),
      };
    });
  });
  provide(
    bind,
    tokens.assignWaitingChats,
    [tokens.cells, tokens.actingUnitOfWork, tokens.feed, tokens.log],
    (cells, unitOfWork, feed, log) =>
      new AssignWaitingChats(new PostgresWaitingChats(cells), unitOfWork, feed, (error, line) =>
        log.error({ err: error, ...line }, "chats that wait could not be given agents"),
      ),
  );
  provide(bind, tokens.tick, [tokens.assignWaitingChats], (assign) =>
    tick("chats.assign-waiting", 10, (signal) => assign.execute(signal)),
  );
  provide(
    bind,
    tokens.handOverChats,
    [tokens.cells, tokens.actingUnitOfWork, tokens.feed, tokens.assignWaitingChats, tokens.log],
    (cells, unitOfWork, feed, assign, log) => {
      const giveOut = (businessId: number) => assign.executeFor(businessId);
      return new HandOverChats(new PostgresLeavingUsers(cells), unitOfWork, feed, giveOut, (error, user) =>
        log.error({ err: error, ...user }, "chats of a user who left could not be handed over"),
      );
    },
  );
  provide(bind, tokens.tick, [tokens.handOverChats], (handOver) =>
    tick("chats.hand-over", 10, (signal) => handOver.execute(signal)),
  );
  provide(
    bind,
    tokens.actOnChats,
    [tokens.actingUnitOfWork, tokens.feed, tokens.readReceipts],
    (...parts) => new ActOnChats(...parts),
  );
  provide(
    bind,
    tokens.answerChat,
    [
      tokens.actingUnitOfWork,
      tokens.cells,
      tokens.config,
      tokens.chatTemplates,
      tokens.ownMediaProbe,
      tokens.sendMessage,
      tokens.feed,
    ],
    (unitOfWork, cells, config, templates, probe, send, feed) => {
      const mediaUrl = config.media.baseUrl || null;
      return new AnswerChat(
        unitOfWork,
        new PostgresActingReads(cells),
        templates,
        probe,
        send,
        feed,
        mediaUrl,
        quickReplyText,
      );
    },
  );
  provide(
    bind,
    tokens.availability,
    [tokens.cells, tokens.feed, tokens.giveOutSoon],
    (cells, feed, soon) => new Availability(new PostgresOwnDesk(cells), feed, (businessId) => soon.nudge(businessId)),
  );
  provide(
    bind,
    tokens.giveOutSoon,
    [tokens.assignWaiting, tokens.assignWaitingChats, tokens.log],
    (tickets, chats, log) =>
      new GiveOutSoon([tickets, chats], (error) =>
        log.error({ err: error }, "what waits could not be given to an agent who came back"),
      ),
  );
  provide(bind, tokens.background, [tokens.giveOutSoon], (soon) =>
    background("giving out", "intake", { stop: () => soon.stop() }),
  );
  provide(bind, tokens.routes, [tokens.actOnChats, tokens.answerChat, tokens.availability], (acts, answers, own) => [
    answerChatRoute(answers),
    ...actOnChatsRoutes(acts),
    ...ownRoutes(own),
  ]);
  provide(bind, tokens.tick, [tokens.cells], (cells) => {
    const counts = new PostgresChatCounts(cells);
    return tick("chats.count", 5, (signal) => counts.fold(signal));
  });
});

/** By which numbers are known that were erased. */
const digesting = (secrets: Secrets) => (phone: string) => secrets.digestNumber(phone);

const ticketUnitOfWork = (cells: Cells<Cell>, { messages }: Config, secrets: Secrets) =>
  new PostgresUnitOfWork(
    cells,
    (transaction): TicketStores => ({
      desk: new PostgresTicketDesk(transaction, cloudChannel, messages.leaseSeconds, digesting(secrets)),
      waiting: new PostgresWaitingTickets(transaction),
    }),
  );
