/** The largest id: a bigint that a JavaScript number still holds exactly. */
export const maxId = Number.MAX_SAFE_INTEGER;
