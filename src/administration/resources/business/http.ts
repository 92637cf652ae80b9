import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { timezoneOf } from "../../../kernel/instants.ts";
import { optionalUrl, requiredName } from "../../adapters/http/fields.ts";
import type { FieldOnWire, RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { OwnBusiness } from "./record.ts";

export const timezone: FieldOnWire<string> = {
  name: "timezone",
  schema: { type: "string", minLength: 1, maxLength: 64, example: "America/La_Paz" },
  fallback: timezoneOf(null),
  read: (input: string) => {
    if (timezoneOf(input) !== input) throw new InvalidInput("timezone no es una zona horaria");
    return input;
  },
};

export const businessOnWire: RecordOnWire<OwnBusiness> = {
  path: "business",
  entity: "business",
  one: "Business",
  many: "Businesses",
  fields: { name: requiredName("nombre"), imageUrl: optionalUrl("img_wa"), timezone },
  rules: ["`timezone` is a name of the tz database. The business's days, hours and months are counted in this zone."],
};
