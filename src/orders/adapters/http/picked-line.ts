import { InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { type Infer, idOf } from "../../../infra/http/routing/schema.ts";
import type { NewLine, PickedExtra } from "../../application/edits/ports.ts";
import { highestCustomPrice } from "../../domain/extra-data.ts";

const extra = {
  type: "object",
  required: ["id"],
  properties: {
    id: idOf("extra"),
    customPrice: { type: "number", minimum: 0, maximum: highestCustomPrice, example: 3.5 },
    picked: { type: "string", maxLength: 255, example: "Doble" },
  },
} as const;

/** The fields of an article with extras. A schema with them must list `articleId` and `extras` as required. */
export const lineFields = <const Most extends number>(mostExtras: Most) =>
  ({
    articleId: idOf("article"),
    quantity: { type: "integer", minimum: 1, maximum: 10_000, default: 1 },
    extras: { type: "array", maxItems: mostExtras, items: extra },
  }) as const;

type GivenExtra = Infer<typeof extra>;
type GivenLine = Omit<NewLine, "extras"> & { readonly extras: readonly GivenExtra[] };

/** @param path - begins the field names in error messages, for instance `lines[0].`; empty if the body is the line */
export const lineOf = ({ articleId, quantity, extras }: GivenLine, path = ""): NewLine => ({
  articleId,
  quantity,
  extras: extras.map((extra, index) => pickedExtra(extra, `${path}extras[${index}]`)),
});

function pickedExtra({ id, customPrice: price, picked }: GivenExtra, path: string): PickedExtra {
  // Every price with at most two decimals passes this check, because `highestCustomPrice` is below 2^53 hundredths.
  if (price !== undefined && Number(price.toFixed(2)) !== price) {
    throw new InvalidInput(`${path}.customPrice admite hasta dos decimales`);
  }
  return { id, custom: price === undefined || picked === undefined ? null : { price, picked } };
}
