import type { CatalogLine, CatalogOrder } from "../../inbox/public.ts";
import { beginning } from "../../kernel/text.ts";
import { id, type JsonObject, list, text } from "../shared/json-fields.ts";

const mostLines = 100;
const mostQuantity = 10_000;
const longestRetailerId = 200;

export function orderOf(kind: string, content: JsonObject): { readonly order?: CatalogOrder } {
  const products = kind === "order" ? list(content.product_items) : [];
  if (products.length === 0) return {};
  return { order: { lines: products.slice(0, mostLines).map(lineOf) } };
}

function lineOf(product: JsonObject): CatalogLine {
  const { product_retailer_id: given, quantity: pieces } = product;
  const shown = { price: priceOf(product.item_price), currency: currencyOf(product.currency) };
  const retailerId = id(given);
  const quantity = typeof pieces === "number" || typeof pieces === "string" ? Number(pieces) : Number.NaN;
  const isWhole = Number.isInteger(quantity) && quantity >= 1 && quantity <= mostQuantity;
  if (retailerId !== undefined && retailerId.length <= longestRetailerId && isWhole) {
    return { retailerId, quantity, ...shown };
  }
  return { retailerId: written(given), quantity: null, shownQuantity: written(pieces), ...shown };
}

/** The id or quantity of an invalid line, as the platform wrote it, but shortened. Null if it has no text. */
function written(value: unknown): string | null {
  const given = typeof value === "number" ? String(value) : text(value);
  return beginning(given, longestRetailerId) || null;
}

/** Some versions of the platform write prices as numbers, others as text. */
function priceOf(value: unknown): string | null {
  const written = typeof value === "number" ? String(value) : text(value);
  return /^\d{1,12}(\.\d{1,2})?$/.test(written) ? written : null;
}

function currencyOf(value: unknown): string | null {
  const written = text(value);
  return /^[A-Z]{3}$/.test(written) ? written : null;
}
