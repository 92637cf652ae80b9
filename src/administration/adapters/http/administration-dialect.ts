import { coded, codedDialect, type Dialect } from "../../../infra/http/routing/dialect.ts";
import { codedFailure, integer, named, objectWith, text } from "../../../infra/http/routing/schema.ts";
import type {
  PlatformAway,
  RecordInUse,
  RecordMovedOn,
  RecordNotFound,
  RuleBroken,
  UnknownReference,
  ValueTaken,
  WrongField,
} from "../../domain/records.ts";

/** How all of administration words what may go wrong. `wireOf` spells a field as the resource does. */
export const administrationDialect = (wireOf: (field: string) => string) =>
  ({
    ...codedDialect,
    not_found: () => [404, coded("not_found", "El registro no existe")],
    moved_on: () => [412, coded("moved_on", "El registro cambió")],
    taken: ({ field }) => [409, coded("taken", `${wireOf(field)} ya está en uso`)],
    in_use: ({ uses }) => [
      409,
      {
        ...coded("in_use", "El registro está en uso"),
        usos: uses.map(({ what, count }) => ({ tipo: what, cantidad: count })),
      },
    ],
    unknown_reference: ({ field }) => [400, coded("invalid_input", `${wireOf(field)} no existe`)],
    platform_unavailable: () => [502, coded("platform_unavailable", "La plataforma no responde")],
    wrong_field: ({ field, problem }) => [
      400,
      coded("invalid_input", `${wireOf(field)} ${problem === "missing" ? "es requerido" : "no es válido"}`),
    ],
    rule_broken: ({ message }) => [400, coded("invalid_input", message)],
  }) as const satisfies typeof codedDialect &
    Dialect<
      | WrongField
      | PlatformAway
      | RecordNotFound
      | RecordMovedOn
      | ValueTaken
      | RecordInUse
      | UnknownReference
      | RuleBroken
    >;

const inUse = named(
  "InUse",
  objectWith({
    error: text,
    code: { type: "string", const: "in_use" },
    usos: { type: "array", items: objectWith({ tipo: text, cantidad: integer }) },
  }),
);

/** What the requests of every resource may answer. */
export const answers = {
  notFound: { description: "No such record", schema: codedFailure },
  movedOn: { description: "The record is not at the version that `If-Match` names", schema: codedFailure },
  taken: { description: "Another record has a value that each may have only once", schema: codedFailure },
  inUse: { description: "Something uses the record: what, and how often", schema: inUse },
  away: { description: "The platform does not answer", schema: codedFailure },
  wrong: { description: "A field is missing or wrong", schema: codedFailure },
  unexpected: { description: "Unexpected failure", schema: codedFailure },
} as const;
