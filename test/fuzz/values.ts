import fc from "fast-check";

/** Generates values from JSON schemas: valid ones, limits, and invalid ones. */

export type Json = Readonly<Record<string, unknown>>;

export const record = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

/** Generates ids. `idOf` usually gives an id of the caller's business, else of another business or of no record. */
export interface Ids {
  idOf(entity: string): fc.Arbitrary<number>;
  /** An existing id of the caller's business. */
  ownOf(entity: string): fc.Arbitrary<number>;
}

const largestSafe = Number.MAX_SAFE_INTEGER;

const oddIntegers = [0, -1, 1, 2, 2 ** 31 - 1, 2 ** 31, 2 ** 53, largestSafe, -largestSafe, 1e21, 1e308, -0];

/** Texts that careless code mishandles: quotes, markup, templates, encodings, paths, object properties. */
export const oddTexts: readonly string[] = [
  "",
  " ",
  "\t\r\n",
  "0",
  "null",
  "\0",
  "a\0b",
  "\ud800",
  "x\udc00y",
  "\ufeff",
  "\uffff",
  "\u2028\u2029",
  "\u202egnimmargorp",
  "مرحبا بك في المتجر",
  "שלום",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "é".normalize("NFD"),
  "ﬁ İ ß ｆｕｌｌ",
  "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A",
  "'; drop table orders; --",
  `" or ""="`,
  "\\",
  "\\' \\u0000 \\x00",
  "100%_\\%",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: template languages replace this text
  "$1 $2 ${jndi:ldap://x} #{7*7}",
  "{{1}} {{constructor}} {{__proto__}} {{ 2 }}",
  "<script>alert(1)</script>",
  "__proto__",
  "constructor",
  "toString",
  "../../../../etc/passwd",
  "a".repeat(300),
  "ñ".repeat(5_000),
  "💥".repeat(3_000),
  "1".repeat(400),
  "٣٤٥",
  "1e3",
  "0x10",
  "NaN",
  "-Infinity",
];

const dates: readonly string[] = [
  "2026-01-31",
  "2026-01-31T10:00:00Z",
  "2026-05-04T18:30:00-04:00",
  "2026-03-29T02:30:00",
  "2024-02-29",
  "2026-02-30",
  "2026-13-01",
  "0000-01-01",
  "0001-01-01T00:00:00Z",
  "1969-12-31",
  "9999-12-31",
  "9999-12-31T23:59:59.999Z",
  "9999-12-31T23:59:59-14:00",
  "+275760-09-13",
  "-271821-04-20T00:00:00.000Z",
  "294277-01-01",
  "2026-01-01T24:00:00Z",
  "2026-01-01T23:59:60Z",
  "2026-01-01T00:00:00+99:99",
  "2026-01-01T00:00:00.123456789Z",
  "2026-W01-1",
  "20260101",
  "infinity",
  "-infinity",
  "now",
  "epoch",
  "2026-01-01 ",
  "1767225600000",
];

const links: readonly string[] = [
  "https://",
  "https://127.0.0.1:1/a.png",
  "https://[::1]:1/a.png",
  "https://localhost:1/a.png",
  "https://user:password@127.0.0.1:1/a.png",
  "https://127.0.0.1:1/%zz?a=b#c",
  "https://127.0.0.1:99999/",
  "https://0x7f000001:1/",
  "https://2130706433:1/a.png",
  "https://a b/",
  "https://media.test/media/m_missing",
  "https://media.test/media/../../etc/passwd",
  "https:// .test/",
];

const isDate = /date|fecha|schedule|^(from|to|start|end)$/i;
const isLink = /url$/i;

/** Any JSON value. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { a: 1 }, "", 0, -1, 1.5) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...oddTexts) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...oddIntegers, 0.1 + 0.2, 1e-7, Number.MIN_VALUE) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}},"toString":1}'),
      nested(200),
      Array(10_000).fill(1),
      Array(10_000).fill(null),
      Array(1_000).fill({ id: 1 }),
    ),
  },
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const integers = (schema: Json): fc.Arbitrary<number> => {
  const min = typeof schema.minimum === "number" ? schema.minimum : -largestSafe;
  const max = typeof schema.maximum === "number" ? schema.maximum : largestSafe;
  const small = { min, max: Math.min(max, Math.max(min, 1) + 20) };
  return fc.oneof(fc.integer(small), fc.constantFrom(min, max), fc.integer({ min, max }));
};

const numbers = (schema: Json): fc.Arbitrary<number> => {
  const min = typeof schema.minimum === "number" ? schema.minimum : -1e6;
  const max = typeof schema.maximum === "number" ? schema.maximum : 1e6;
  const cents = fc.integer({ min: 0, max: 1_000_000 }).map((value) => Math.min(max, Math.max(min, value / 100)));
  return fc.oneof(cents, fc.constantFrom(min, max, 0, -0), fc.double({ min, max, noNaN: true }));
};

function texts(schema: Json, name: string): fc.Arbitrary<string> {
  const { minLength, maxLength = 200, pattern } = schema;
  const least = typeof minLength === "number" ? minLength : 0;
  const most = Math.min(Number(maxLength), 5_000);
  const examples = typeof schema.example === "string" ? [schema.example] : [];
  const made =
    typeof pattern === "string"
      ? fc.stringMatching(new RegExp(pattern), { maxLength: 20 })
      : fc.string({ unit: "grapheme", minLength: least, maxLength: Math.min(most, 60) });
  const atBounds = typeof pattern === "string" ? [] : ["x".repeat(most), "x".repeat(least), "😀".repeat(most / 2)];
  return fc.oneof(
    { weight: examples.length * 6, arbitrary: fc.constantFrom(...examples, "") },
    { weight: isDate.test(name) ? 6 : 0, arbitrary: fc.constantFrom(...dates) },
    { weight: isDate.test(name) ? 3 : 0, arbitrary: fc.constantFrom("2026-01-01", "2026-06-30", "2026-12-31") },
    { weight: isLink.test(name) ? 6 : 0, arbitrary: fc.constantFrom(...links) },
    { weight: 2, arbitrary: made },
    { weight: atBounds.length > 0 ? 1 : 0, arbitrary: fc.constantFrom(...atBounds, "") },
    { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
  );
}

function lists(schema: Json, name: string, ids: Ids): fc.Arbitrary<unknown[]> {
  const item = valuesOf(record(schema.items), name, ids);
  const most = Math.min(Number(schema.maxItems ?? 10_000), 10_000);
  const few = fc.array(item, { minLength: Number(schema.minItems ?? 0), maxLength: Math.min(most, 4) });
  const many = item.map((each) => Array(most).fill(each));
  const repeated = fc.array(item, { minLength: 1, maxLength: 2 }).map((some) => [...some, ...some, ...some]);
  return fc.oneof({ weight: 12, arbitrary: few }, { weight: 3, arbitrary: repeated }, { weight: 1, arbitrary: many });
}

/**
 * All required fields and some others. If `additionalProperties` is a schema, the object has up to three fields from a
 * fixed list instead.
 */
export function objectOf(schema: Json, ids: Ids): fc.Arbitrary<Json> {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(record(schema.properties)).map(
    ([name, property]) => [name, valuesOf(record(property), name, ids)] as const,
  );
  const requiredKeys = fields.map(([name]) => name).filter((name) => required.has(name));
  const known = fc.record(Object.fromEntries(fields), { requiredKeys });
  if (typeof schema.additionalProperties !== "object") return known;
  const names = fc.constantFrom("1", "2", "3", "9999", "0", "__proto__");
  const values = fc.oneof(fc.constantFrom("nombre", "numero", "toString", "__proto__"), fc.constantFrom(...oddTexts));
  return fc.dictionary(names, values, { maxKeys: 3 });
}

/** A minimal valid object of required fields. Ids are of the caller's business. Other values are usually examples. */
export function plainOf(schema: Json, ids: Ids): fc.Arbitrary<Json> {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const wanted = Object.entries(record(schema.properties)).filter(([name]) => required.has(name));
  return fc.record(Object.fromEntries(wanted.map(([name, each]) => [name, plainValueOf(record(each), ids)])));
}

function plainValueOf(schema: Json, ids: Ids): fc.Arbitrary<unknown> {
  if (typeof schema["x-entity"] === "string") return ids.ownOf(schema["x-entity"]);
  if ("example" in schema) return fc.constant(schema.example);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (schema.type === "array") return plainValueOf(record(schema.items), ids).map((item) => [item]);
  return schema.type === "object" ? plainOf(schema, ids) : valuesOf(schema, "", ids);
}

/** Usually a valid value. */
function valuesOf(schema: Json, name: string, ids: Ids): fc.Arbitrary<unknown> {
  if (typeof schema["x-entity"] === "string") return idOf(schema, ids);
  if ("const" in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const types: unknown[] = [schema.type].flat();
  return fc.oneof(...types.map((type) => typed(type, schema, name, ids)));
}

function idOf(schema: Json, ids: Ids): fc.Arbitrary<unknown> {
  const own = ids.idOf(String(schema["x-entity"]));
  const isNullable = [schema.type].flat().includes("null");
  return fc.oneof(
    { weight: 30, arbitrary: own },
    { weight: schema["x-numeric"] === true ? 5 : 1, arbitrary: own.map(String) },
    { weight: isNullable ? 5 : 0, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.constantFrom<unknown>(...oddIntegers, 1.5, "01", " 1", "1 ", "+1", "٣") },
  );
}

function typed(type: unknown, schema: Json, name: string, ids: Ids): fc.Arbitrary<unknown> {
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return integers(schema);
    case "number":
      return numbers(schema);
    case "string":
      return texts(schema, name);
    case "array":
      return lists(schema, name, ids);
    case "object":
      return objectOf(schema, ids);
    default:
      return anything;
  }
}

/** A mutation of a value. `turns` leads to the mutated place: for each level, it has the index of an entry. */
interface Spoiling {
  readonly how: "replace" | "remove" | "add" | "repeat";
  readonly turns: readonly number[];
  readonly name: string;
  readonly value: unknown;
}

export const spoilings: fc.Arbitrary<readonly Spoiling[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant([]) },
  {
    weight: 4,
    arbitrary: fc.array(
      fc.record<Spoiling>({
        how: fc.constantFrom("replace", "replace", "remove", "add", "repeat"),
        turns: fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
        name: fc.constantFrom("__proto__", "constructor", "extra", "id", "business_id", "empresa_id", "\0", "\ud800"),
        value: anything,
      }),
      { minLength: 1, maxLength: 2 },
    ),
  },
);

export const spoil = (value: unknown, all: readonly Spoiling[]): unknown =>
  all.reduce((spoilt, each) => spoilAt(spoilt, each.turns, each), value);

function spoilAt(value: unknown, [turn = 0, ...turns]: readonly number[], spoiling: Spoiling): unknown {
  if (typeof value !== "object" || value === null) return spoiling.value;
  const entries = Object.entries(value);
  const [name, child] = entries[turn % Math.max(1, entries.length)] ?? [];
  const goesOn = turns.length > 0 && typeof child === "object" && child !== null;
  const changed = goesOn ? spoilAt(child, turns, spoiling) : spoiling.value;
  if (Array.isArray(value)) {
    if (goesOn || spoiling.how === "replace") return value.map((each, i) => (String(i) === name ? changed : each));
    if (spoiling.how === "remove") return value.filter((_, i) => String(i) !== name);
    return [...value, spoiling.how === "repeat" ? child : spoiling.value];
  }
  if (name === undefined || (!goesOn && spoiling.how === "add")) return put(entries, spoiling.name, spoiling.value);
  if (goesOn || spoiling.how === "replace") return put(entries, name, changed);
  return Object.fromEntries(entries.filter(([each]) => each !== name));
}

/** Sets a property, also one with the name `__proto__`, which an assignment would not create. */
const put = (entries: readonly (readonly [string, unknown])[], name: string, value: unknown): object =>
  Object.fromEntries([...entries.filter(([each]) => each !== name), [name, value]]);
