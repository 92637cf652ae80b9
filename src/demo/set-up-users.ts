import type { BusinessFixture, UserFixture } from "../fixtures/businesses/business.ts";
import { semaphore } from "../kernel/semaphore.ts";
import { founderOf } from "./people.ts";
import { asked, makeMissing, type NumberFrom, type Requests, requestsTo } from "./requests.ts";

/** The service hashes one password at a time: while it does, the next one is on its way. */
const atOnce = 2;

/** Users who accept their invitations, beside what else is asked: a hash takes longer than all else. */
export class Invitations {
  private readonly limited = semaphore(atOnce);
  private readonly accepted: Promise<void>[] = [];

  constructor(
    private readonly api: string,
    private readonly password: string,
  ) {}

  /** Returns at once. */
  accept(token: string, user: UserFixture): void {
    const accepted = this.limited(() => this.join(token, user));
    // `done` tells of it.
    accepted.catch(() => {});
    this.accepted.push(accepted);
  }

  /** Rejects where one was refused. */
  async done(): Promise<void> {
    await Promise.all(this.accepted);
  }

  /** The user chooses the password, says who takes what is given out, and leaves. */
  private async join(token: string, { available }: UserFixture): Promise<void> {
    const invitation = { token, password: this.password };
    const session = await asked(requestsTo(this.api), "POST", "/auth/invitation", invitation);
    const user = requestsTo(this.api, session.token);
    if (available) await asked(user, "PUT", "/me/available", { disponible: true });
    await asked(user, "DELETE", "/auth/session");
  }
}

/** All but the administrator with whom the business was made. Users of a start that broke off are invited again. */
export async function setUpUsers(
  business: BusinessFixture,
  administrator: Requests,
  invitations: Invitations,
  numberFrom: NumberFrom,
): Promise<void> {
  const founder = founderOf(business);
  const users = business.users.filter((user) => user !== founder);
  const records = users.map(({ id, name, email, roleId }) => ({
    id,
    body: { nombre: name, email, role_id: roleId },
  }));
  const made = await makeMissing(administrator, "users", "users", records, numberFrom);
  for (const user of users) {
    const { invitation } = made.get(user.id) ?? (await asked(administrator, "POST", `/admin/users/${user.id}/invite`));
    invitations.accept(invitation.token, user);
  }
}
