import { administratorRole, agentRole } from "../../../kernel/ids.ts";

export interface User {
  readonly name: string;
  /** In lower case. A user whose e-mail is empty cannot sign in. */
  readonly email: string;
  readonly roleId: number;
  readonly departmentIds: readonly number[];
  readonly branchIds: readonly number[];
  readonly active: boolean;
}

type Standing = Pick<User, "roleId" | "active">;

/** `user` is null before creation and after archiving. */
const has = (user: Standing | null, roleId: number): boolean => user?.active === true && user.roleId === roleId;

export const isAgent = (user: Standing | null): boolean => has(user, agentRole);
export const isActiveAdministrator = (user: Standing | null): boolean => has(user, administratorRole);

/** Whether a change ends the user's sessions and hands over the chats: archiving, deactivation or a lost agent role. */
export const leaves = (before: Standing, after: Standing | null): boolean =>
  before.active && (!after?.active || (isAgent(before) && !isAgent(after)));

/** Whether a change activates the user, or gives the user the agent's role. */
export const returns = (before: Standing, after: Standing | null): boolean =>
  after?.active === true && (!before.active || (isAgent(after) && !isAgent(before)));
