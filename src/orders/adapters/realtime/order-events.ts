/** The wire's spelling of each event of orders. */
export const orderEvents = {
  "order:changed": (card: object) => card,
};
