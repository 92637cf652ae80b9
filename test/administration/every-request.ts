import { expect } from "chai";
import type { Route } from "../../src/infra/http/routing/route.ts";
import type { Json } from "../http/matrix.ts";
import { servedRoutes } from "../http/routes.ts";
import { type Answer, request } from "../support/http.ts";
import type { World } from "../support/world.ts";
import { type Ids, makeIds, samples } from "./resources.ts";

/**
 * Every request of administration, built from its route and the samples of the resources. New routes are included
 * automatically.
 */

/** The business that makes the requests, and another one. */
export const [own, foreign] = [1, 2];

/** By resource: fields that a new record needs, so that every request about it succeeds. */
const able: Readonly<Record<string, Json>> = {
  webhooks: { disabled: false },
  users: { activo: true },
  templates: { type: "TEXT", tipo: "Cloud" },
};

/** By operation: its body, if the samples of the resources have none for it. */
const bodies: Readonly<Record<string, () => Json>> = {
  changeBusiness: () => ({ nombre: "Negocio" }),
  changeFlags: () => ({}),
  replayWebhook: () => ({ since: new Date().toISOString() }),
};

export const routes = servedRoutes().filter(({ path }) => path.startsWith("/admin/"));
export const resourceOf = ({ path }: Route): string => path.split("/")[2] ?? "";
export const sampleOf = (resource: string) => samples.find(({ path }) => path === resource);
export const paramsIn = ({ path }: Route): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
export const isObject = (schema: Route["body"]): boolean => typeof schema === "object";

/** @param world - returns the running world; `prepare` is the first to call it */
export function everyRequest(world: () => World) {
  const ids = new Map<number, Ids>();
  const prepare = async () => {
    // The ids are large, so that no other number in an answer equals an id.
    for (const table of ["branches", "articles", "tags"]) {
      await world().rows("select setval(pg_get_serial_sequence($1, 'id'), 5000000)", [table]);
    }
    for (const each of [own, foreign]) ids.set(each, await makeIds(world(), each));
  };

  let count = 0;
  const next = (): number => {
    count += 2;
    return count;
  };
  const as = (businessId: number, method: string, path: string, more: object = {}): Promise<Answer> =>
    request(world().api + path, {
      method: method.toUpperCase(),
      ...more,
      headers: { "x-api-key": world().appKey(businessId), ...("headers" in more && (more.headers as object)) },
    });

  const bodyFor = async (resource: string, businessId: number): Promise<Json> => {
    if (resource === "ad-accounts")
      return { token: `ads-token-${businessId}`, default_account_id: `act_${businessId}` };
    const sample = sampleOf(resource);
    if (!sample) throw new Error(`${resource}: say in \`bodies\` what its body is`);
    const body = { ...sample.body(next(), ids.get(businessId) as Ids), ...able[resource] };
    await sample.prepare?.(world(), body);
    return body;
  };
  const made = async (resource: string, businessId: number): Promise<number> => {
    const { status, json, text } = await as(businessId, "post", `/admin/${resource}`, {
      body: await bodyFor(resource, businessId),
    });
    if (status === 409 && resource === "ad-accounts")
      return (await as(businessId, "get", `/admin/${resource}`)).json.data[0].id;
    expect(status, text).to.equal(201);
    return json.id;
  };
  const instance = async (businessId: number): Promise<number> => {
    const name = `tienda-${businessId}-${next()}`;
    await world().control("POST", "/qr-instances", { instance: name, apiKey: `key-of-${name}`, connected: false });
    const body = { provider: "qr", platform_id: name, phone: "59170000000", token: `key-of-${name}` };
    return (await as(businessId, "post", "/admin/senders", { body })).json.id;
  };
  const fileIn = async (resource: string, businessId: number, file: string): Promise<Answer["json"]> => {
    const { text } = await as(businessId, "post", `/admin/${resource}/import`, {
      rawBody: file,
      headers: { "content-type": "text/csv" },
    });
    return JSON.parse(text.trim().split("\n").at(-1) ?? "");
  };
  const fileOf = (rows: readonly Json[]): string => {
    const columns = Object.keys(rows[0] ?? {});
    return [columns, ...rows.map((row) => columns.map((name) => [row[name]].flat().join("|")))].map(String).join("\n");
  };

  /** By name of a path's parameter, except `id`: creates what the parameter refers to, and returns its value. */
  const below: Readonly<Record<string, (id: number, businessId: number, resource: string) => Promise<unknown>>> = {
    session: async (id, businessId) => {
      await world().sessionToken(id);
      return (await as(businessId, "get", `/admin/users/${id}/sessions`)).json.data[0].id;
    },
    deliveryId: async (id, businessId) => (await as(businessId, "post", `/admin/webhooks/${id}/test`)).json.id,
    file: async (_, businessId, resource) => {
      const columns = Object.keys(await bodyFor(resource, businessId));
      const row = `${",".repeat(columns.length)}de más`;
      return (await fileIn(resource, businessId, `${columns}\n${row}`)).refused_csv.split("/").at(-1);
    },
  };
  /** Creates records, and returns values for all parameters of the route's path. */
  const paramsFor = async (route: Route, businessId: number): Promise<Record<string, unknown>> => {
    const names = paramsIn(route);
    const resource = resourceOf(route);
    const ofRecord = route.operationId === "getSenderCode" ? instance : (each: number) => made(resource, each);
    const id = names.includes("id") ? await ofRecord(businessId) : 0;
    const pairs: [string, unknown][] = [];
    for (const name of names) pairs.push([name, name === "id" ? id : await below[name]?.(id, businessId, resource)]);
    const { frees } = sampleOf(resource) ?? {};
    if (route.method === "delete" && frees) {
      const body = { ...(await bodyFor(resource, businessId)), ...frees };
      await as(businessId, "put", `/admin/${resource}/${id}`, { body });
    }
    return Object.fromEntries(pairs);
  };
  const send = async (route: Route, params: Json, { body }: { body?: unknown } = {}) => {
    const path = route.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name])));
    const sent =
      route.body === "csv"
        ? { rawBody: fileOf([await bodyFor(resourceOf(route), own)]), headers: { "content-type": "text/csv" } }
        : isObject(route.body) && { body: body ?? (await goodBody(route)) };
    return as(own, route.method, path, sent || {});
  };
  const goodBody = async (route: Route): Promise<Json> =>
    bodies[route.operationId]?.() ?? (await bodyFor(resourceOf(route), own));

  return { prepare, as, bodyFor, made, fileIn, fileOf, below, paramsFor, send, goodBody };
}
