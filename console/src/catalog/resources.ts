/** The type of a field, which decides the control and the format. */
export type Kind = "text" | "lines" | "price" | "branch" | "articles" | "file" | "secret" | "coupon";

/** Articles of these types make the delivery of an order free; other types have no effect. */
export const couponTypes: readonly unknown[] = ["free_delivery", "delivery"];

export type FieldName =
  | "nombre"
  | "name"
  | "texto"
  | "media_url"
  | "precio"
  | "sucursal_id"
  | "price"
  | "retailer_id"
  | "type"
  | "charge"
  | "articulos"
  | "telefono"
  | "tracking_id"
  | "default_account_id"
  | "token";

export interface Field {
  readonly name: FieldName;
  readonly kind: Kind;
  readonly isRequired?: true;
  readonly maxLength?: number;
}

export interface Resource {
  /** The field that serves as the record's title. */
  readonly title: FieldName;
  readonly fields: readonly Field[];
  /** Whether the resource can be imported and exported as CSV. */
  readonly hasCsv?: true;
  /** A business has at most one record. */
  readonly isSingle?: true;
}

const named = { name: "nombre", kind: "text", isRequired: true, maxLength: 200 } as const;
const called = { name: "name", kind: "text", isRequired: true, maxLength: 200 } as const;

/** The resources that the generic screen edits, by their path below `settings/`. */
export const resources = {
  "quick-replies": {
    title: "nombre",
    fields: [
      named,
      { name: "texto", kind: "lines", isRequired: true, maxLength: 4_096 },
      { name: "media_url", kind: "file", maxLength: 2_000 },
    ],
    hasCsv: true,
  },
  tags: { title: "nombre", fields: [named], hasCsv: true },
  articles: {
    title: "name",
    fields: [
      called,
      { name: "price", kind: "price", isRequired: true },
      { name: "retailer_id", kind: "text", maxLength: 200 },
      { name: "type", kind: "coupon" },
    ],
    hasCsv: true,
  },
  extras: {
    title: "name",
    fields: [called, { name: "charge", kind: "price", isRequired: true }, { name: "articulos", kind: "articles" }],
    hasCsv: true,
  },
  zones: {
    title: "nombre",
    fields: [named, { name: "precio", kind: "price", isRequired: true }, { name: "sucursal_id", kind: "branch" }],
    hasCsv: true,
  },
  branches: { title: "nombre", fields: [named] },
  drivers: {
    title: "nombre",
    fields: [
      named,
      { name: "telefono", kind: "text", maxLength: 64 },
      { name: "tracking_id", kind: "text", maxLength: 200 },
    ],
  },
  "ad-accounts": {
    title: "default_account_id",
    fields: [
      { name: "token", kind: "secret", maxLength: 2_000 },
      { name: "default_account_id", kind: "text", maxLength: 100 },
    ],
    isSingle: true,
  },
} as const satisfies Readonly<Record<string, Resource>>;

export type CatalogPlace = keyof typeof resources;

export const resourceOf = (place: CatalogPlace): Resource => resources[place];
