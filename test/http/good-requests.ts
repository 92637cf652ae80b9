import type { Route } from "../../src/infra/http/routing/route.ts";
import { type Json, record } from "./matrix.ts";

/**
 * Requests made from the schemas of the routes, with ids of the business that sends them. A new operation is included
 * if its ids have `x-entity` and its other required fields have an example.
 */

/** By operation: fields that a request needs although its schema does not require them. */
const examples: Readonly<Record<string, Json>> = { answerChat: { texto: "Hola" } };

/** Operations that keys may not call. */
export const forUsers: readonly string[] = ["takeChat"];

/**
 * By operation: groups of fields that exclude each other. A body gets the fields of the group with the tested field, or
 * of the first group.
 */
const togetherIn: Readonly<Record<string, readonly (readonly string[])[]>> = {
  answerChat: [["texto", "responde_a"], ["plantilla_id"], ["respuesta_rapida_id"]],
  assignChat: [["soporte_id"], ["departamento_id"]],
};

export const own = 1;

export const idIn = (businessId: number, entity: string): number =>
  entity === "business" ? businessId : businessId * 100 + 1;

export type Where = "params" | "query" | "body";
export const parts: readonly Where[] = ["params", "query", "body"];

export const schemaOf = (route: Route, where: Where): Json => record(route[where]);

const needsExample = (name: string): never => {
  throw new Error(`${name}: no value can be derived from its schema; give it an example`);
};

/** A valid value: an id of business `own`, or a value that the schema offers, such as an example or a default. */
function sampleOf(schema: Json, name: string, otherwise: (name: string) => unknown): unknown {
  if (typeof schema["x-entity"] === "string") return idIn(own, schema["x-entity"]);
  if ("example" in schema) return schema.example;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ("default" in schema) return schema.default;
  if (schema.type === "boolean") return true;
  if (schema.type === "array") return [sampleOf(record(schema.items), name, otherwise)];
  if (schema.type === "object") return objectOf(schema, name, otherwise);
  return otherwise(name);
}

/**
 * An object with all required fields and all fields that have ids.
 *
 * @param otherwise - gives the value of a field whose schema offers none
 */
export function objectOf(schema: Json, name: string, otherwise: (name: string) => unknown = needsExample): Json {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const wanted = Object.entries(record(schema.properties)).filter(
    ([field, property]) => required.includes(field) || JSON.stringify(property).includes('"x-entity"'),
  );
  return Object.fromEntries(
    wanted.map(([field, each]) => [field, sampleOf(record(each), `${name}.${field}`, otherwise)]),
  );
}

/** @param field - a field that the body must have. It selects the group of fields from `togetherIn` */
export const goodRequest = (route: Route, field = ""): Record<Where, Json> => {
  const part = (where: Where) => objectOf(schemaOf(route, where), `${route.operationId} ${where}`);
  const groups = togetherIn[route.operationId];
  const group = groups?.find((fields) => fields.includes(field)) ?? groups?.[0];
  const body = Object.entries({ ...part("body"), ...examples[route.operationId] });
  return {
    params: part("params"),
    query: part("query"),
    body: Object.fromEntries(body.filter(([name]) => !group || group.includes(name))),
  };
};

export const urlOf = (route: Route, { params, query }: Record<"params" | "query", Json>): string => {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name])));
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path;
};
