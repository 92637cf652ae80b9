/** What the generated tests must know of a resource; a new one joins by standing here. */
export interface Sample {
  readonly path: string;
  /** Valid bodies that differ in every field; `n` makes each its own. */
  body(n: number, ids: Ids): Readonly<Record<string, unknown>>;
  /** A wrong body and the field that its refusal names. */
  readonly wrong: readonly (readonly [field: string, value: unknown])[];
  /** Fields that name records of other resources. */
  readonly references?: readonly string[];
  /** The field that each record may have only once. */
  readonly unique?: string;
  /** Makes something that uses the record with this SQL, where `$1` is the business and `$2` the record; what it is called. */
  readonly use?: { readonly sql: string; readonly called: string };
  readonly archives?: true;
  /** By which fields rows of its CSV files are matched; without this it has no files. */
  readonly matchedBy?: readonly string[];
  /** Fields that are taken and never shown. */
  readonly hidden?: readonly string[];
  /** What only the answer that makes it tells. */
  readonly once?: readonly string[];
}

/** Records that every business of the tests has. */
export interface Ids {
  readonly branch: number;
  readonly agents: readonly number[];
  readonly article: number;
  readonly department: number;
}

export const samples: readonly Sample[] = [
  {
    path: "tags",
    body: (n) => ({ nombre: `Etiqueta ${n}` }),
    matchedBy: ["nombre"],
    wrong: [
      ["nombre", undefined],
      ["nombre", "  "],
      ["nombre", 5],
      ["nombre", "x".repeat(201)],
    ],
    unique: "nombre",
    use: {
      sql: "insert into contact_tags (business_id, contact_id, tag_id) values ($1, 101, $2)",
      called: "contactos",
    },
  },
  {
    path: "zones",
    body: (n, { branch }) => ({ nombre: `Zona ${n}`, precio: `${n}.50`, sucursal_id: branch }),
    matchedBy: ["nombre", "sucursal_id"],
    wrong: [
      ["nombre", undefined],
      ["precio", undefined],
      ["precio", "1,5"],
      ["precio", -1],
      ["precio", 0.125],
    ],
    references: ["sucursal_id"],
    use: {
      sql: "insert into orders (business_id, type, zone_id) values ($1, 'wa', $2)",
      called: "pedidos",
    },
  },
  {
    path: "branches",
    body: (n) => ({ nombre: `Sucursal ${n}` }),
    wrong: [["nombre", ""]],
    use: {
      sql: "insert into zones (business_id, name, price, branch_id) values ($1, 'Norte', 5, $2)",
      called: "zonas",
    },
  },
  {
    path: "drivers",
    body: (n) => ({ nombre: `Repartidor ${n}`, telefono: `7000${n}`, tracking_id: `t-${n}` }),
    wrong: [
      ["nombre", null],
      ["telefono", 7],
    ],
    use: {
      sql: "insert into orders (business_id, type, driver_id) values ($1, 'wa', $2)",
      called: "pedidos",
    },
  },
  {
    path: "articles",
    body: (n) => ({ name: `Torta ${n}`, price: `${n}.25`, retailer_id: `sku-${n}`, type: "item" }),
    matchedBy: ["retailer_id"],
    wrong: [
      ["name", undefined],
      ["price", undefined],
      ["price", "caro"],
    ],
    unique: "retailer_id",
    archives: true,
  },
  {
    path: "extras",
    body: (n, { article }) => ({ name: `Queso ${n}`, charge: `${n}.00`, articulos: [article] }),
    matchedBy: ["name"],
    wrong: [
      ["charge", "-1"],
      ["articulos", ["1"]],
    ],
    references: ["articulos"],
  },
  {
    path: "quick-replies",
    body: (n) => ({
      nombre: `saludo-${n}`,
      texto: `Hola {{contacto.nombre}} ${n}`,
      media_url: `https://cdn.test/${n}.png`,
    }),
    matchedBy: ["nombre"],
    wrong: [
      ["texto", undefined],
      ["media_url", "javascript:alert(1)"],
    ],
    unique: "nombre",
  },
  {
    path: "departments",
    body: (n, { agents }) => ({
      nombre: `Departamento ${n}`,
      horario: { mon: [["09:00", "18:00"]], sat: [] },
      mensaje_fuera_de_horario: `Volvemos a las ${n}`,
      agentes: agents,
    }),
    wrong: [
      ["nombre", undefined],
      ["horario", { lunes: [] }],
      ["horario", { mon: [["9", "18:00"]] }],
      ["agentes", 5],
    ],
    references: ["agentes"],
    use: {
      sql: "insert into steps (business_id, name, identifier, type, department_id) values ($1, 'Paso', 'p', 'ticket', $2)",
      called: "pasos",
    },
  },
  {
    path: "senders",
    body: (n) => ({
      name: `Número ${n}`,
      provider: "provider-b",
      platform_id: `AC${n}`,
      account_id: `cuenta-${n}`,
      phone: `5917${String(n).padStart(7, "0")}`,
      messages_per_second: (n % 100) + 1,
      token: `secreto-${n}`,
    }),
    wrong: [
      ["provider", "fax"],
      ["platform_id", ""],
      ["phone", "sin número"],
      ["messages_per_second", 0],
      ["token", 7],
    ],
    unique: "platform_id",
    hidden: ["token"],
    use: {
      sql: `insert into campaigns (business_id, sender_id, user_id, template_id, step_id, name, tags, template, state,
              timezone, total) values ($1, $2, 101, 101, 101, 'Ofertas', '{}', '{}', 'completed', 'UTC', 0)`,
      called: "campañas",
    },
  },
  {
    path: "app-keys",
    body: (n) => ({ label: `crm ${n}`, scopes: ["read", "orders"], expires_at: "2099-01-02T03:04:05.000Z" }),
    wrong: [
      ["label", ""],
      ["scopes", ["everything"]],
      ["expires_at", "2020-01-01T00:00:00Z"],
      ["expires_at", "soon"],
    ],
    archives: true,
    once: ["key"],
  },
];
