import type { Sender } from "./accounts.ts";

export interface Change {
  readonly sender: Sender;
  readonly field: "messages" | "user_preferences";
  readonly value: object;
}

/** The frame of every webhook: one entry per business account, one change per number. */
export function changesEnvelope(changes: readonly Change[]): object {
  const entries = new Map<string, object[]>();
  for (const { sender, field, value } of changes) {
    const { accountId } = sender.business;
    const own = entries.get(accountId) ?? [];
    entries.set(accountId, own);
    own.push({
      field,
      value: {
        messaging_product: "whatsapp",
        metadata: { display_phone_number: sender.displayPhoneNumber, phone_number_id: sender.phoneNumberId },
        ...value,
      },
    });
  }
  return {
    object: "whatsapp_business_account",
    entry: [...entries].map(([id, own]) => ({ id, changes: own })),
  };
}
