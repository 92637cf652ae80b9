/** What other features and the composition root may use of inbox. */

export { ActOnChats } from "./application/acting/act-on-chats.ts";
export { AnswerChat } from "./application/acting/answer-chat.ts";
export { AssignWaitingChats } from "./application/acting/assign-waiting-chats.ts";
export { Availability } from "./application/acting/availability.ts";
export { GiveOutSoon } from "./application/acting/give-out-soon.ts";
export { HandOverChats } from "./application/acting/hand-over-chats.ts";
export type { ActingStores } from "./application/acting/ports.ts";
export { AssignWaiting } from "./application/assign-waiting.ts";
export { EraseContact } from "./application/contacts/erase-contact.ts";
export { ImportContacts } from "./application/contacts/import-contacts.ts";
export { ManageContacts } from "./application/contacts/manage-contacts.ts";
export type { ErasureStores } from "./application/contacts/ports.ts";
export { CreateTicket } from "./application/create-ticket.ts";
export type { IncomingStores, TicketStores, WebhookQueue } from "./application/ports.ts";
export { ReadInbox } from "./application/reading/read-inbox.ts";
export { WorkOffWebhooks } from "./application/work-off-webhooks.ts";
export { conversationStates } from "./domain/conversation.ts";
