/** The parts of inbox that other features and the composition root may use. */

export { ActOnChats } from "./application/acting/act-on-chats.ts";
export { AnswerChat } from "./application/acting/answer-chat.ts";
export { AssignWaitingChats } from "./application/acting/assign-waiting-chats.ts";
export { Availability } from "./application/acting/availability.ts";
export { GiveOutSoon } from "./application/acting/give-out-soon.ts";
export { HandOverChats } from "./application/acting/hand-over-chats.ts";
export type { ActingStores } from "./application/acting/ports.ts";
export { ApplyEarlyStatuses } from "./application/apply-early-statuses.ts";
export { AssignWaitingTickets } from "./application/assign-waiting-tickets.ts";
export { EraseContact } from "./application/contacts/erase-contact.ts";
export { ImportContacts } from "./application/contacts/import-contacts.ts";
export { ManageContacts } from "./application/contacts/manage-contacts.ts";
export type { ErasureStores } from "./application/contacts/ports.ts";
export { CreateTicket } from "./application/create-ticket.ts";
export { FetchFiles, type MediaStore } from "./application/files/fetch-files.ts";
export type { FileAnswer, FileQueue, FileSource, FileSources, FileStores } from "./application/files/ports.ts";
export { KeepWebhooks } from "./application/keep-webhooks.ts";
export { NameContacts, type UnnamedContact } from "./application/name-contacts.ts";
export type {
  IncomingStores,
  IncomingUnitOfWork,
  ReadWebhook,
  WebhookOrigin,
  WebhookQueue,
  WebhookReaders,
} from "./application/ports.ts";
export { ReadInbox } from "./application/reading/read-inbox.ts";
export type { Aftermath } from "./application/record-news.ts";
export type { TicketStores } from "./application/ticket-ports.ts";
export { WorkOffWebhooks } from "./application/work-off-webhooks.ts";
export { conversationStates } from "./domain/conversation.ts";
export type { Forgotten } from "./domain/forget-number.ts";
export {
  type AccountNews,
  type AdClick,
  type AdReferral,
  type CatalogLine,
  type CatalogOrder,
  type ConnectionNews,
  connectionStates,
  type DeliveryMark,
  type EchoedMessage,
  type FileKind,
  type FilePlace,
  fileKinds,
  type IncomingFile,
  type IncomingMessage,
  type IncomingReaction,
  type MessageEdit,
  type NumberNews,
  noNews,
  type PreferenceChange,
  type ProvenSender,
  type WebhookNews,
  type Withdrawal,
} from "./domain/incoming.ts";
