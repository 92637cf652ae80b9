import { expect } from "chai";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import type { World } from "../support/world.ts";

/** Administrators, the users they invite, and their sign-ins. */

export const admin = 101;
export const agent = 102;
export const foreignAdmin = 201;
export const password = "una clave larga";

const refusal = JSON.stringify({ message: "Invalid invitation" });

/** @param world - returns the running world; `prepare` is the first to call it */
export function userAccess(world: () => World) {
  const sessions = new Map<number, string>();
  let count = 0;
  const prepare = async () => {
    for (const user of [admin, foreignAdmin]) sessions.set(user, await world().sessionToken(user));
  };
  const sessionOf = (user: number): string => sessions.get(user) ?? "";

  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(world().api + path, { method, headers, ...(body !== undefined && { body }) });
  const by = (token: string, method: string, path: string, body?: unknown) =>
    send(method, path, body, { authorization: `Bearer ${token}` });
  const ask = (who: number, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(method, path, body, { ...headers, authorization: `Bearer ${sessions.get(who)}` });
  const aUser = (changes: object = {}) => {
    count += 1;
    return { nombre: `Eva ${count}`, email: `eva-${count}@b1.test`, role_id: 5, ...changes };
  };
  const made = async (changes: object = {}, who = admin): Promise<Answer["json"]> => {
    const answer = await ask(who, "POST", "/admin/users", aUser(changes));
    expect(answer.status, answer.text).to.equal(201);
    return answer.json;
  };
  const accept = (token: string, chosen: unknown = password) =>
    send("POST", "/auth/invitation", { token, password: chosen });
  const check = (token: string) => send("POST", "/auth/invitation/check", { token });
  const signIn = (email: string, with_ = password) => send("POST", "/auth/session", { email, password: with_ });
  const joined = async (changes: object = {}, who = admin): Promise<Answer["json"]> => {
    const user = await made(changes, who);
    const answer = await accept(user.invitation.token);
    expect(answer.status, answer.text).to.equal(200);
    return { ...user, token: answer.json.token };
  };
  const isOver = (token: string) => eventually(async () => (await by(token, "GET", "/me")).status === 401);
  const refused = ({ status, text }: Answer) => expect([status, text]).to.deep.equal([401, refusal]);

  return { prepare, sessionOf, send, by, ask, aUser, made, accept, check, signIn, joined, isOver, refused };
}
