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
    wrong: [
      ["nombre", undefined],
      ["nombre", "  "],
      ["nombre", 5],
      ["nombre", "x".repeat(201)],
    ],
    unique: "nombre",
  },
  {
    path: "zones",
    body: (n, { branch }) => ({ nombre: `Zona ${n}`, precio: `${n}.50`, sucursal_id: branch }),
    wrong: [
      ["nombre", undefined],
      ["precio", undefined],
      ["precio", "1,5"],
      ["precio", -1],
      ["precio", 0.125],
    ],
    references: ["sucursal_id"],
  },
];
