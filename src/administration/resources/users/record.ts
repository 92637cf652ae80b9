import { administratorRole, agentRole } from "../../../kernel/ids.ts";

import type { Matching } from "../../domain/records.ts";

export interface User {
  readonly name: string;
  /** In small letters; empty for one who cannot sign in. */
  readonly email: string;
  readonly roleId: number;
  readonly departmentIds: readonly number[];
  readonly branchIds: readonly number[];
  readonly active: boolean;
}

export const userMatching: Matching<User> = { by: ["email"] };

type Standing = Pick<User, "roleId" | "active">;

/** The user is null before it is made and once it is archived. */
const has = (user: Standing | null, roleId: number): boolean => user?.active === true && user.roleId === roleId;

export const isAgent = (user: Standing | null): boolean => has(user, agentRole);
export const isActiveAdministrator = (user: Standing | null): boolean => has(user, administratorRole);

/** Whether a change ends a user's sessions and takes the chats that the user has: a deactivation, or an agent's other role. */
export const leaves = (before: Standing, after: Standing | null): boolean =>
  before.active && (!after?.active || (isAgent(before) && !isAgent(after)));

/** Whether a change brings a user back, or makes an agent of one. */
export const returns = (before: Standing, after: Standing | null): boolean =>
  after?.active === true && (!before.active || (isAgent(after) && !isAgent(before)));
