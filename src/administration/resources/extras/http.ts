import { money, references, requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { Extra } from "./record.ts";

export const extrasOnWire: RecordOnWire<Extra> = {
  path: "extras",
  entity: "extra",
  one: "Extra",
  many: "Extras",
  matching: { by: ["name"] },
  chosenBy: ["name", "charge", "articleIds"],
  fields: {
    name: requiredName("name"),
    charge: money("charge"),
    articleIds: references("articulos", "article"),
  },
  rules: ["An order's line keeps the charge that the extra had when it was added to the line."],
};
