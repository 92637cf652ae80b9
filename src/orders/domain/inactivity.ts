/** The bot's reason for a cancellation. Listings of abandoned carts search for it. */
export const inactivityReason = "(BOT) Cancelada por inactividad en el chat";

/** Applies if the business has set no valid time of inactivity. */
export const defaultIdleMinutes = 60;
