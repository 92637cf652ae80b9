/** The parts of inbox that other features and the composition root may use. */

export { ActOnChats } from "./application/acting/act-on-chats.ts";
export { AnswerChat } from "./application/acting/answer-chat.ts";
export { AssignWaitingChats } from "./application/acting/assign-waiting-chats.ts";
export { Availability } from "./application/acting/availability.ts";
export { GiveOutSoon } from "./application/acting/give-out-soon.ts";
export { HandOverChats } from "./application/acting/hand-over-chats.ts";
export type { ActingStores } from "./application/acting/ports.ts";
export { EditContacts } from "./application/contacts/edit-contacts.ts";
export { EraseContact } from "./application/contacts/erase-contact.ts";
export { ImportContacts } from "./application/contacts/import-contacts.ts";
export { NameContacts, type UnnamedContact } from "./application/contacts/name-contacts.ts";
export type { ErasureStores } from "./application/contacts/ports.ts";
export { FetchFiles, type MediaStore } from "./application/files/fetch-files.ts";
export type { FileAnswer, FileQueue, FileSource, FileSources } from "./application/files/ports.ts";
export { ApplyEarlyStatuses } from "./application/incoming/apply-early-statuses.ts";
export { KeepIncoming } from "./application/incoming/keep-incoming.ts";
export type {
  CustomerOrder,
  CustomerOrders,
  IncomingQueue,
  IncomingStores,
  IncomingUnitOfWork,
  ReadWebhook,
  WebhookOrigin,
  WebhookReaders,
} from "./application/incoming/ports.ts";
export type { Aftermath } from "./application/incoming/record-news.ts";
export { WorkOffIncoming } from "./application/incoming/work-off-incoming.ts";
export type { OrderSummary } from "./application/reading/ports.ts";
export { AssignWaitingTickets } from "./application/tickets/assign-waiting-tickets.ts";
export { CreateTicket } from "./application/tickets/create-ticket.ts";
export type { TicketStores } from "./application/tickets/ports.ts";
export { contactIn, mostContacts } from "./domain/contact-cards.ts";
export { conversationStates } from "./domain/conversation.ts";
export type { Forgotten } from "./domain/forgotten.ts";
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
  partiesIn,
  type WebhookNews,
  type Withdrawal,
} from "./domain/incoming.ts";
