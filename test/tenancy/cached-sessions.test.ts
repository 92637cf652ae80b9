import { expect } from "chai";
import { FairQueue } from "../../src/kernel/fair-queue.ts";
import { CachedSessions } from "../../src/tenancy/adapters/memory/cached-access.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

/** A change must take effect within this many milliseconds. An unchanged token stays in the cache twice as long. */
const atOnce = 2_500;

describe("cached session tokens", () => {
  let world: World;
  before(async () => {
    world = await startWorld({ environment: { ROLE: "api" } });
  });
  after(() => world.stop());

  const list = (token: string): Promise<Answer> => request(`${world.api}/catalogs/v2/orders/sucursal/1?token=${token}`);
  const used = async (userId: number): Promise<string> => {
    const token = await world.sessionToken(userId);
    for (let n = 0; n < 2; n += 1) expect((await list(token)).status).to.equal(200);
    return token;
  };

  it("end at once when they are closed, and soon when they are revoked in another way", async () => {
    const [closed, revoked] = [await used(101), await used(101)];
    const answer = await request(`${world.api}/auth/session?token=${closed}`, { method: "DELETE" });
    expect(answer.json).to.deep.equal({ success: true });
    expect((await list(closed)).status).to.equal(401);
    expect((await list(revoked)).status).to.equal(200);
    await world.rows("update sessions set revoked_at = now() where user_id = 101");
    await eventually(async () => (await list(revoked)).status === 401, atOnce);
  });

  it("end when their user is no longer active", async () => {
    const token = await used(102);
    await world.rows("update users set active = false where id = 102");
    await eventually(async () => (await list(token)).status === 401, atOnce);
    await world.rows("update users set active = true where id = 102");
  });

  it("are looked up again after their expiry", async () => {
    let asked = 0;
    const expiresAt = new Date(Date.now() - 1);
    const user = { businessId: 1, userId: 101, roleId: 1, expiresAt };
    const store = {
      userOf: async () => {
        asked += 1;
        return asked === 1 ? user : null;
      },
      revoke: async () => true,
    };
    const changes = { isLiveFor: () => true, onChange: () => {}, onGap: () => {} };
    const lookUps = new FairQueue({ name: "", width: 1, widthPerKey: 1, queuePerKey: 1, queue: 1, waitMs: 5_000 });
    const cached = new CachedSessions(store, changes, lookUps);
    expect(await cached.userOf("a", "10.0.0.1")).to.equal(null);
    expect(await cached.userOf("a", "10.0.0.1")).to.equal(null);
    expect(asked).to.be.above(1);
  });
});
