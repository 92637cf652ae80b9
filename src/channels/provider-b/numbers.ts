/** A number as the channel writes it. */
export const addressOf = (phone: string): string => `whatsapp:+${phone}`;

/** The digits of such an address; undefined for an address of another channel. */
export const numberIn = (address: string): string | undefined => /^whatsapp:\+(\d{1,20})$/.exec(address)?.[1];
