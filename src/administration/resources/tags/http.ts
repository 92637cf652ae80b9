import { requiredName } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { Tag } from "./record.ts";

export const tagsOnWire: RecordOnWire<Tag> = {
  path: "tags",
  entity: "tag",
  one: "Tag",
  many: "Tags",
  matching: { by: ["name"] },
  chosenBy: ["name"],
  fields: { name: requiredName("nombre") },
};
