import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { isSameJson } from "../../../kernel/same-json.ts";
import { optionalText, references, requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import { type Department, days, type HoursViolation, hoursViolationOf, type OpeningHours } from "./record.ts";

const time = "([01][0-9]|2[0-3]):[0-5][0-9]|24:00";
const mostRanges = 10;
const range = {
  type: "array",
  minItems: 2,
  maxItems: 2,
  items: { type: "string", pattern: `^(${time})$` },
} as const;

export const departmentsOnWire: RecordOnWire<Department> = {
  path: "departments",
  entity: "department",
  one: "Department",
  many: "Departments",
  chosenBy: ["name"],
  fields: {
    name: requiredName("nombre"),
    openingHours: {
      name: "horario",
      schema: {
        type: ["object", "null"],
        properties: Object.fromEntries(days.map((day) => [day, { type: "array", maxItems: mostRanges, items: range }])),
        additionalProperties: false,
        "x-error": {
          additionalProperties: `horario solo puede tener los días ${days.join(", ")}`,
          pattern: "{field} debe ser una hora como 09:00",
          minItems: '{field} debe tener dos horas, como ["09:00", "18:00"]',
        },
        example: { mon: [["09:00", "18:00"]] },
      },
      fallback: null,
      read: (input: OpeningHours | null) => input,
    },
    outOfHoursMessage: optionalText("mensaje_fuera_de_horario"),
    agentIds: references("agentes", "user"),
  },
  rules: [
    "`horario` lists for each day (`mon` to `sun`) the ranges `[from, to]` in which the department is open, in the business's " +
      "local time. Without `horario` the department is always open; a day that is left out is closed. `24:00` is the end of " +
      'the day. A `to` at or before its `from` is on the next day: `["18:00", "02:00"]` closes at two in the morning, and ' +
      '`["08:00", "08:00"]` at eight the next morning, so it is open for 24 hours. Ranges that overlap, also ' +
      "with one that began the day before, and a range that begins at `24:00` are refused; the error names the day and the " +
      "range. Hours that are already stored are accepted unchanged.",
    "`agentes` are the users who have the department in their `departamentos`. Changing either side gives both records a new " +
      "version and an audit entry; the entry of the other side has that field only. A department with agents is in use.",
    "When an agent joins or leaves the department, `agent:changed` is sent, and the agent sees its chats, or no longer sees them, at once.",
  ],
};

/** Checks opening hours that were changed. Throws `InvalidInput` with a message for the caller. */
export function checkHours({ openingHours }: Department, before: Department | null): void {
  if (openingHours === null || isSameJson(openingHours, before?.openingHours ?? null)) return;
  const violation = hoursViolationOf(openingHours);
  if (violation) throw new InvalidInput(`horario.${violation.day}: ${wordsOf(violation)}`);
}

function wordsOf(violation: HoursViolation): string {
  const [from, to] = violation.span;
  if (violation.rule === "late") return `${from}-${to} no puede empezar a las 24:00`;
  const [otherFrom, otherTo] = violation.other;
  const dayBefore = violation.dayBefore ? ` (${violation.dayBefore})` : "";
  return `${from}-${to}${dayBefore} y ${otherFrom}-${otherTo} se superponen`;
}
