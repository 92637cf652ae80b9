export interface QuickReply {
  readonly name: string;
  /** May have placeholders for the contact, the agent and the business. */
  readonly text: string;
  readonly mediaUrl: string | null;
}
