import { requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { Branch } from "./record.ts";

export const branchesOnWire: RecordOnWire<Branch> = {
  path: "branches",
  entity: "branch",
  one: "Branch",
  many: "Branches",
  chosenBy: ["name"],
  fields: { name: requiredName("nombre") },
};
