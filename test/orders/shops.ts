import { type Answer, request } from "../support/http.ts";
import { aBusiness, aThread, startWorld, type World } from "../support/world.ts";
import { openShop } from "./shop.ts";

/** Businesses 1 and 2 with a shop and three chats each, and the administrators' session tokens. */
export interface Shops extends World {
  readonly token: string;
  readonly otherToken: string;
  /**
   * Reads orders of business 1 as its administrator (§13).
   *
   * @param rest - follows `/catalogs/v2/orders/sucursal/1` in the URL
   */
  list(rest?: string): Promise<Answer>;
}

export async function startShops(): Promise<Shops> {
  const withThreads = (id: number) =>
    aBusiness(id, {
      threads: [
        aThread(id * 100 + 1),
        aThread(id * 100 + 2, { name: "Bruno 50%_off", supportUserId: id * 100 + 2 }),
        aThread(id * 100 + 3, { name: "Zoe", supportUserId: id * 100 + 2, phone: "59199999999" }),
      ],
    });
  const world = await startWorld({ businesses: [withThreads(1), withThreads(2)], environment: { ROLE: "api" } });
  for (const id of [1, 2]) await openShop(world, id);
  const [token, otherToken] = [await world.sessionToken(101), await world.sessionToken(201)];
  const list = (rest = "") => {
    const joint = rest.includes("?") ? "&" : "?";
    return request(`${world.api}/catalogs/v2/orders/sucursal/1${rest}${joint}token=${token}`);
  };
  return { ...world, token, otherToken, list };
}
