/** Why the bot cancelled an order; listings of abandoned carts search for it. */
export const inactivityReason = "(BOT) Cancelada por inactividad en el chat";

/** How long a customer may be silent where the business says nothing, or nothing sensible. */
export const defaultIdleMinutes = 60;
