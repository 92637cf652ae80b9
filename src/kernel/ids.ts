/** The largest id: a bigint that a JavaScript number still holds exactly. */
export const maxId = Number.MAX_SAFE_INTEGER;

/** The roles of users that have rules of their own; others exist and have none. */
export const administratorRole = 1;
export const agentRole = 5;
