import { coded, codedDialect, type Dialect } from "../../../infra/http/routing/dialect.ts";
import { codedFailure, integer, named, objectWith, text } from "../../../infra/http/routing/schema.ts";
import type { PlatformUnavailable } from "../../../messaging/public.ts";
import type {
  CyclicReference,
  DuplicateValue,
  LastAdministrator,
  RecordInUse,
  RecordMovedOn,
  RecordNotFound,
  RuleBroken,
  UnknownReference,
  WrongField,
} from "../../domain/records.ts";
import type { TemplateLocked } from "../../domain/template.ts";

/** The Spanish names of the kinds of records that may use another record. */
const usesOnWire: Readonly<Record<string, string>> = {
  orders: "pedidos",
  zones: "zonas",
  contacts: "contactos",
  steps: "pasos",
  users: "usuarios",
  branches: "sucursales",
  campaigns: "campañas",
  chats: "chats",
  templates: "plantillas",
};

/** The answer to each failure. `takenMessage` replaces the usual message for `taken`. */
const wordsFor = (wireName: (field: string) => string, takenMessage?: string) =>
  ({
    not_found: () => [404, coded("not_found", "El registro no existe")],
    moved_on: () => [412, coded("moved_on", "El registro cambió")],
    taken: ({ field }) => [409, coded("taken", takenMessage ?? `${wireName(field)} ya está en uso`)],
    in_use: ({ uses }) => [
      409,
      {
        ...coded("in_use", "El registro está en uso"),
        usos: uses.map(({ what, count }) => ({ tipo: usesOnWire[what] ?? what, cantidad: count })),
      },
    ],
    last_administrator: () => [
      409,
      coded("last_administrator", "El negocio debe tener al menos un administrador activo"),
    ],
    unknown_reference: ({ field }) => [400, coded("invalid_input", `${wireName(field)} no existe`)],
    cyclic_reference: ({ field }) => [400, coded("invalid_input", `${wireName(field)} forma un ciclo`)],
    locked: ({ field }) => [
      409,
      coded("locked", `${wireName(field)} no se puede cambiar mientras la plataforma tiene la plantilla`),
    ],
    platform_unavailable: () => [502, coded("platform_unavailable", "La plataforma no responde")],
    wrong_field: ({ field, problem }) => [
      400,
      coded("invalid_input", `${wireName(field)} ${problem === "missing" ? "es requerido" : "no es válido"}`),
    ],
    rule_broken: ({ message }) => [400, coded("invalid_input", message)],
  }) as const satisfies Partial<
    Dialect<
      | WrongField
      | PlatformUnavailable
      | RecordNotFound
      | RecordMovedOn
      | DuplicateValue
      | RecordInUse
      | UnknownReference
      | CyclicReference
      | TemplateLocked
      | LastAdministrator
      | RuleBroken
    >
  >;

type Words = ReturnType<typeof wordsFor>;

/** Makes the dialect of an operation from the codes of its possible failures. */
export const administrationDialect = (wireName = (field: string) => field, takenMessage?: string) => {
  const words = wordsFor(wireName, takenMessage);
  return <const Codes extends readonly (keyof Words)[]>(...codes: Codes) =>
    ({
      ...codedDialect,
      ...Object.fromEntries(codes.map((code) => [code, words[code]])),
    }) as typeof codedDialect & Pick<Words, Codes[number]>;
};

const inUse = named(
  "InUse",
  objectWith({
    error: text,
    code: { type: "string", const: "in_use" },
    usos: { type: "array", items: objectWith({ tipo: text, cantidad: integer }) },
  }),
);

/** Failures that the OpenAPI document describes alike for every resource. */
export const answers = {
  notFound: { description: "No such record", schema: codedFailure },
  movedOn: { description: "The record no longer has the version that `If-Match` names", schema: codedFailure },
  duplicate: { description: "Another record has the same unique value", schema: codedFailure },
  duplicateOrInUse: {
    description:
      "Another record has the same unique value, or the change is not allowed while something uses the record",
    schema: { anyOf: [inUse, codedFailure] },
  },
  inUse: {
    description: "Something uses the record (`usos` lists what, and how often), or it is the last active administrator",
    schema: { anyOf: [inUse, codedFailure] },
  },
  away: { description: "The platform does not answer", schema: codedFailure },
  wrong: { description: "A field is missing or wrong", schema: codedFailure },
  unexpected: { description: "Unexpected failure", schema: codedFailure },
} as const;

/** The failures that every operation of administration can have. */
export const failures = { 400: answers.wrong, 500: answers.unexpected } as const;
