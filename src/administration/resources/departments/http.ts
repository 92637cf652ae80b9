import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { isSameJson } from "../../../kernel/same-json.ts";
import { optionalText, references, requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import { type Department, type HoursViolation, hoursViolationOf, type OpeningHours } from "./record.ts";

const time = "([01][0-9]|2[0-3]):[0-5][0-9]|24:00";
const mostRanges = 10;
const range = {
  type: "array",
  minItems: 2,
  maxItems: 2,
  items: { type: "string", pattern: `^(${time})$` },
} as const;
const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

export const departmentsOnWire: RecordOnWire<Department> = {
  path: "departments",
  entity: "department",
  one: "Department",
  many: "Departments",
  fields: {
    name: requiredName("nombre"),
    openingHours: {
      name: "horario",
      schema: {
        type: ["object", "null"],
        properties: Object.fromEntries(days.map((day) => [day, { type: "array", maxItems: mostRanges, items: range }])),
        additionalProperties: false,
        "x-error": { additionalProperties: `horario solo puede tener los días ${days.join(", ")}` },
        example: { mon: [["09:00", "18:00"]] },
      },
      fallback: null,
      read: (input: OpeningHours | null) => input,
    },
    outOfHoursMessage: optionalText("mensaje_fuera_de_horario"),
    agentIds: references("agentes", "user"),
  },
  rules: [
    "`horario` holds ranges of local time of the business by the day (`mon` to `sun`), each `[from, to]`; without it the " +
      "department is always open, and a day that is left out is closed. `24:00` ends a day. A `to` at or before its `from` lies on " +
      'the next day: `["18:00", "02:00"]` closes at two in the morning, `["08:00", "08:00"]` at eight of the next one. Ranges of ' +
      "a day that overlap, and one that begins at `24:00`, are refused, in words that name the day and the range. What is stored " +
      "may be written back as it is.",
    "`agentes` are the users whose `departamentos` name it: a change of either side counts up the version of both, and stands " +
      "in the audit of both, with that field alone of the one that was not written. A department with agents is in use.",
    "Agents who come into the department or leave it are told of by `agent:changed`, and see its chats, or see them no more, at once.",
  ],
};

/** Throws in words for the caller. What is as it was is not looked at again. */
export function checkHours({ openingHours }: Department, before: Department | null): void {
  if (openingHours === null || isSameJson(openingHours, before?.openingHours ?? null)) return;
  const violation = hoursViolationOf(openingHours);
  if (violation) throw new InvalidInput(`horario.${violation.day}: ${wordsOf(violation)}`);
}

function wordsOf(violation: HoursViolation): string {
  const [from, to] = violation.span;
  if (violation.rule === "late") return `${from}-${to} empieza cuando el día ya terminó`;
  const [otherFrom, otherTo] = violation.other;
  return `${from}-${to} y ${otherFrom}-${otherTo} se cruzan`;
}
