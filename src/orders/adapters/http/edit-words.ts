/** What all changes of an order have in common. */
export const editRules = (number: string): [number: string, rule: string][] => [
  [
    number,
    "Every change counts the order's version up. `If-Match` with an `ETag` of the order (as reading it or the last " +
      "change answered it) makes the change only if the order is still at that version: otherwise 412, and nothing is " +
      "changed. Without it the change is made whatever happened in between.",
  ],
];

export const editStatuses = {
  movedOn: (): readonly [number, unknown] => [412, { message: "La orden cambió" }],
};
