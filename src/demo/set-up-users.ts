import type { BusinessFixture, UserFixture } from "../fixtures/businesses/business.ts";
import { semaphore } from "../kernel/semaphore.ts";
import { firstAdministratorOf } from "./people.ts";
import { asked, makeMissing, requestsTo, type SetUpPlace } from "./requests.ts";

/** How many requests run at once. While the service hashes one password, the other request already waits its turn. */
const atOnce = 2;

/** Accepts invitations in parallel to other requests, because hashing the passwords takes longest. */
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
    // `done` reports the error.
    accepted.catch(() => {});
    this.accepted.push(accepted);
  }

  /** Rejects if an invitation was refused. */
  async done(): Promise<void> {
    await Promise.all(this.accepted);
  }

  private async join(token: string, { available }: UserFixture): Promise<void> {
    const invitation = { token, password: this.password };
    const session = await asked(requestsTo(this.api), "POST", "/auth/invitation", invitation);
    const user = requestsTo(this.api, session.token);
    if (available) await asked(user, "PUT", "/me/available", { disponible: true });
    await asked(user, "DELETE", "/auth/session");
  }
}

/**
 * Creates and invites all users except the first administrator. Users whom an earlier, unfinished start created are
 * invited again.
 */
export async function setUpUsers(
  business: BusinessFixture,
  place: SetUpPlace,
  invitations: Invitations,
): Promise<void> {
  const administratorUser = firstAdministratorOf(business);
  const users = business.users.filter((user) => user !== administratorUser);
  const records = users.map(({ id, name, email, roleId }) => ({
    id,
    body: { nombre: name, email, role_id: roleId },
  }));
  const made = await makeMissing(place, "users", records);
  for (const user of users) {
    const { invitation } =
      made.get(user.id) ?? (await asked(place.administrator, "POST", `/admin/users/${user.id}/invite`));
    invitations.accept(invitation.token, user);
  }
}
