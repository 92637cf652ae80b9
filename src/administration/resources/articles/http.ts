import { money, optionalText, requiredName, textOr } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { Article } from "./record.ts";

export const articlesOnWire: RecordOnWire<Article> = {
  path: "articles",
  entity: "article",
  one: "Article",
  many: "Articles",
  matching: { by: ["retailerId"], orElseBy: ["name"] },
  chosenBy: ["name", "price", "retailerId", "type"],
  fields: {
    name: requiredName("name"),
    price: money("price"),
    retailerId: optionalText("retailer_id", 200),
    type: textOr("type", "item", 50),
  },
  rules: [
    "An order's line keeps the name and the price that the article had when the line was added.",
    "Articles of `type` `delivery` and `free_delivery` make the delivery of an order free. Other types have no effect.",
  ],
};
