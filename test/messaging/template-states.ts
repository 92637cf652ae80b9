/** For each state that the platform gives a template: the state that the API shows. */
export const shownStates = {
  APPROVED: "APPROVED",
  PENDING: "PENDING",
  REJECTED: "REJECTED",
  IN_APPEAL: "PENDING",
  PAUSED: "REJECTED",
  DISABLED: "REJECTED",
  PENDING_DELETION: "REJECTED",
  LIMIT_EXCEEDED: "REJECTED",
  SOMETHING_NEW: "REJECTED",
};
