import { actOnChatsRoutes } from "../inbox/adapters/http/act-on-chats.routes.ts";
import { answerChatRoute } from "../inbox/adapters/http/answer-chat.route.ts";
import { createTicketRoute } from "../inbox/adapters/http/create-ticket.route.ts";
import { ownRoutes } from "../inbox/adapters/http/own.routes.ts";
import { readInboxRoutes } from "../inbox/adapters/http/read-inbox.routes.ts";
import { ticketStepsRoute } from "../inbox/adapters/http/ticket-steps.route.ts";
import { PostgresActingReads } from "../inbox/adapters/postgres/acting/acting-reads.ts";
import { PostgresAnswerDesk } from "../inbox/adapters/postgres/acting/answer-desk.ts";
import { PostgresChatDesk } from "../inbox/adapters/postgres/acting/chat-desk.ts";
import { PostgresChatMarks } from "../inbox/adapters/postgres/acting/chat-marks.ts";
import { PostgresLeavingUsers } from "../inbox/adapters/postgres/acting/leaving-users.ts";
import { PostgresOwnDesk } from "../inbox/adapters/postgres/acting/own-desk.ts";
import { PostgresDepartmentDesk } from "../inbox/adapters/postgres/acting/waiting-chats.ts";
import { PostgresAgentLines } from "../inbox/adapters/postgres/lines/agent-lines.ts";
import { linesOfChats, linesOfTickets } from "../inbox/adapters/postgres/lines/waiting-lines.ts";
import { foldChatCounts } from "../inbox/adapters/postgres/reading/chat-counts.ts";
import { PostgresInboxReads } from "../inbox/adapters/postgres/reading/inbox-reads.ts";
import { PostgresOutgoingMessages } from "../inbox/adapters/postgres/sends/outgoing-messages.ts";
import { PostgresTicketDesk } from "../inbox/adapters/postgres/tickets/ticket-desk.ts";
import { PostgresTicketSetups, PostgresTicketSteps } from "../inbox/adapters/postgres/tickets/ticket-steps.ts";
import { PostgresWaitingTickets } from "../inbox/adapters/postgres/tickets/waiting-tickets.ts";
import { quickReplyText } from "../inbox/adapters/wire/quick-reply-text.ts";
import {
  type ActingStores,
  ActOnChats,
  AnswerChat,
  AssignWaitingChats,
  AssignWaitingTickets,
  Availability,
  CreateTicket,
  GiveOutSoon,
  HandOverChats,
  type TicketStores,
} from "../inbox/public.ts";
import type { Secrets } from "../infra/crypto/secrets.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell } from "../infra/postgres/database.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { cloudChannel } from "../kernel/channels.ts";
import type { Config } from "./config.ts";
import { moduleOf } from "./provide.ts";

export const inboxModule = moduleOf(({ provide, provideTick, provideBackground }) => {
  provide(
    "outgoingMessages",
    ({ cells, config: { messages }, secrets, earlyLoop }) =>
      new PostgresOutgoingMessages(cells, messages.leaseSeconds, secrets.digestNumber, () => earlyLoop.nudge()),
  );
  provide(
    "createTicket",
    ({ cells, config, feed, sendMessage, secrets }) =>
      new CreateTicket(
        new PostgresTicketSetups(cells),
        ticketUnitOfWork(cells, config, secrets),
        feed,
        sendMessage,
        config.media.baseUrl || null,
      ),
  );
  provide(
    "assignWaitingTickets",
    ({ cells, config, feed, sendMessage, secrets, log }) =>
      new AssignWaitingTickets(
        linesOfTickets(cells),
        ticketUnitOfWork(cells, config, secrets),
        feed,
        sendMessage,
        config.media.baseUrl || null,
        (error, { businessId, departmentId }) =>
          log.error({ err: error, businessId, departmentId }, "waiting tickets could not be assigned to agents"),
      ),
  );

  provideTick("tickets.assign-waiting", 10, ({ assignWaitingTickets }, signal) => assignWaitingTickets.execute(signal));
  provide("routes", ({ cells, createTicket }) => [
    ticketStepsRoute(new PostgresTicketSteps(cells)),
    createTicketRoute(createTicket),
  ]);
  provide("routes", ({ cells, ordersOfChat }) => readInboxRoutes(new PostgresInboxReads(cells), ordersOfChat));
  provide("actingUnitOfWork", ({ cells, config: { messages } }) => {
    return new PostgresUnitOfWork(cells, (transaction): ActingStores => {
      return {
        chats: new PostgresChatDesk(transaction),
        marks: new PostgresChatMarks(transaction),
        answers: new PostgresAnswerDesk(transaction, messages.leaseSeconds),
        departments: new PostgresDepartmentDesk(transaction),
        lines: new PostgresAgentLines(transaction),
      };
    });
  });
  provide(
    "assignWaitingChats",
    ({ cells, actingUnitOfWork, feed, log }) =>
      new AssignWaitingChats(linesOfChats(cells), actingUnitOfWork, feed, (error, line) =>
        log.error({ err: error, ...line }, "waiting chats could not be assigned to agents"),
      ),
  );
  provideTick("chats.assign-waiting", 10, ({ assignWaitingChats }, signal) => assignWaitingChats.execute(signal));
  provide("handOverChats", ({ cells, actingUnitOfWork, feed, assignWaitingChats, log }) => {
    const giveOut = (businessId: number, signal?: AbortSignal) => assignWaitingChats.executeFor(businessId, signal);
    return new HandOverChats(new PostgresLeavingUsers(cells), actingUnitOfWork, feed, giveOut, (error, user) =>
      log.error({ err: error, ...user }, "chats of a user who left could not be reassigned"),
    );
  });
  provideTick("chats.hand-over", 10, ({ handOverChats }, signal) => handOverChats.execute(signal));
  provide(
    "actOnChats",
    ({ actingUnitOfWork, feed, readReceipts }) => new ActOnChats(actingUnitOfWork, feed, readReceipts),
  );
  provide("answerChat", ({ actingUnitOfWork, cells, config, chatTemplates, ownMediaProbe, sendMessage, feed }) => {
    const mediaUrl = config.media.baseUrl || null;
    return new AnswerChat(
      actingUnitOfWork,
      new PostgresActingReads(cells),
      chatTemplates,
      ownMediaProbe,
      sendMessage,
      feed,
      mediaUrl,
      quickReplyText,
    );
  });
  provide(
    "availability",
    ({ cells, feed, giveOutSoon }) =>
      new Availability(new PostgresOwnDesk(cells), feed, (businessId) => giveOutSoon.nudge(businessId)),
  );
  provide(
    "giveOutSoon",
    ({ assignWaitingTickets, assignWaitingChats, log }) =>
      new GiveOutSoon([assignWaitingTickets, assignWaitingChats], (error) =>
        log.error({ err: error }, "waiting chats and tickets could not be assigned to an agent who came back"),
      ),
  );
  provideBackground("giving out", "intake", ({ giveOutSoon }) => ({ stop: () => giveOutSoon.stop() }));
  provide("routes", ({ actOnChats, answerChat, availability }) => [
    answerChatRoute(answerChat),
    ...actOnChatsRoutes(actOnChats),
    ...ownRoutes(availability),
  ]);
  provideTick("chats.count", 5, ({ cells }, signal) => foldChatCounts(cells, signal));
});

const ticketUnitOfWork = (cells: Cells<Cell>, { messages }: Config, secrets: Secrets) =>
  new PostgresUnitOfWork(
    cells,
    (transaction): TicketStores => ({
      desk: new PostgresTicketDesk(transaction, cloudChannel, messages.leaseSeconds, secrets.digestNumber),
      waiting: new PostgresWaitingTickets(transaction),
      lines: new PostgresAgentLines(transaction),
    }),
  );
