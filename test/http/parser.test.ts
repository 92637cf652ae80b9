import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import fc from "fast-check";
import { InvalidInput } from "../../src/infra/http/routing/dialect.ts";
import { parser } from "../../src/infra/http/routing/parser.ts";
import { idOf, numericIdOf, type ObjectSchema, text } from "../../src/infra/http/routing/schema.ts";

const thing = {
  type: "object",
  required: ["name", "count"],
  properties: {
    name: { type: "string", minLength: 1 },
    count: { type: "integer", minimum: 1, maximum: 10_000, default: 1 },
    price: { type: "number", minimum: 0 },
    note: { type: ["string", "null"], maxLength: 5 },
    colour: { enum: ["red", "blue"] },
    paid: { type: "boolean" },
    sizes: { type: "array", items: { type: "integer" }, maxItems: 3 },
    people: {
      type: "array",
      items: { type: "object", required: ["number"], properties: { number: { type: "string", minLength: 1 } } },
    },
    extra: { type: "object", additionalProperties: { type: "string" } },
    either: {
      anyOf: [
        { type: "string", enum: ["a"] },
        { type: "integer", minimum: 1 },
        { type: "array", items: { type: "string" } },
        { type: "null" },
      ],
    },
  },
} as const satisfies ObjectSchema;

const good = { name: "a", count: 1 };

/** The message of the refusal. Fails if the input is accepted or another error is thrown. */
function refusal(parse: (raw: unknown) => unknown, raw: unknown): string {
  try {
    parse(raw);
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(raw)}`);
}

describe("parser", () => {
  it("says of an empty optional field that it may not be empty, not that it is missing", () => {
    const optional = { type: "object", properties: { why: { type: "string", minLength: 1 } } } as const;
    expect(refusal(parser(optional), { why: "" })).to.equal("why no puede estar vacío");
    expect(parser(optional)({})).to.deep.equal({});
    const required = { ...optional, required: ["why"] } as const;
    expect(refusal(parser(required), { why: "" })).to.equal("why es requerido");
  });

  describe("names the first missing or wrong field", () => {
    const parse = parser(thing);
    const refusals: [raw: unknown, message: string][] = [
      [{}, "name es requerido"],
      [{ ...good, name: "" }, "name es requerido"],
      [{ ...good, name: 5 }, "name debe ser un texto"],
      [{ ...good, name: null }, "name debe ser un texto"],
      [{ ...good, count: "5" }, "count debe ser un número"],
      [{ ...good, count: null }, "count debe ser un número"],
      [{ ...good, count: true }, "count debe ser un número"],
      [{ ...good, count: 1.5 }, "count debe ser un número"],
      [{ ...good, count: 0 }, "count no es válido"],
      [{ ...good, count: 10_001 }, "count no es válido"],
      [{ ...good, price: "1.5" }, "price debe ser un número"],
      [{ ...good, note: "longer" }, "note no puede tener más de 5 caracteres"],
      [{ ...good, colour: "green" }, "colour no es un valor permitido"],
      [{ ...good, paid: "true" }, "paid debe ser un booleano"],
      [{ ...good, paid: 1 }, "paid debe ser un booleano"],
      [{ ...good, sizes: "5" }, "sizes debe ser un arreglo"],
      [{ ...good, sizes: [1, "2"] }, "sizes[1] debe ser un número"],
      [{ ...good, sizes: [1, 2, 3, 4] }, "sizes no puede tener más de 3 elementos"],
      [{ ...good, people: [{ number: "1" }, {}] }, "people[1] debe tener number"],
      [{ ...good, people: [{ number: 1 }] }, "people[0].number debe ser un texto"],
      [{ ...good, people: [null] }, "people[0] debe ser un objeto"],
      [{ ...good, extra: { "1a": 5 } }, "extra.1a debe ser un texto"],
      [{ ...good, extra: [] }, "extra debe ser un objeto"],
      [{ ...good, either: "b" }, "either no es un valor permitido"],
      [{ ...good, either: 0 }, "either no es válido"],
      [{ ...good, either: ["b", 5] }, "either[1] debe ser un texto"],
      [{ ...good, either: true }, "either debe ser un texto o un número o un arreglo"],
    ];
    for (const [raw, message] of refusals) {
      it(`${JSON.stringify(raw)}: ${message}`, () => {
        expect(refusal(parse, raw)).to.equal(message);
      });
    }

    it("in the order of the schema, not of the input", () => {
      expect(refusal(parse, { sizes: 1, price: "x", count: "x", name: "a" })).to.equal("count debe ser un número");
      expect(refusal(parse, { sizes: 1, count: "x" })).to.equal("name es requerido");
    });

    it("and with a bounded length", () => {
      expect(refusal(parse, { ...good, extra: { ["k".repeat(100_000)]: 5 } })).to.have.lengthOf.below(150);
    });
  });

  for (const raw of [null, undefined, "name", 5, true, [], [{ name: "a", count: 1 }]]) {
    it(`treats ${JSON.stringify(raw)} as an object without fields`, () => {
      expect(refusal(parser(thing), raw)).to.equal("name es requerido");
      const optional = parser({ type: "object", properties: { id: numericIdOf("thing") } });
      expect(refusal(optional, raw)).to.equal("Se espera un objeto");
    });
  }

  it("keeps allowed nulls, fills in defaults and leaves unknown fields unchanged", () => {
    const { count: _, ...required } = thing.properties;
    const parse = parser({ ...thing, required: ["name"], properties: { ...required, count: thing.properties.count } });
    expect(parse({ name: "a", note: null, more: 1 })).to.deep.equal({ name: "a", note: null, count: 1, more: 1 });
  });

  it("has a message for errors that concern no single field", () => {
    const either = {
      type: "object",
      properties: { a: text, b: text },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    const parse = parser(either as ObjectSchema);
    expect(refusal(parse, { c: 1 })).to.equal("La solicitud no es válida");
    expect(parse({ b: "" })).to.deep.equal({ b: "" });
  });

  describe("uses the endpoint's own words", () => {
    const parse = parser({
      type: "object",
      required: ["one", "each"],
      properties: {
        one: { type: "integer", minimum: 1, "x-error": "one: siempre esto" },
        each: { type: "integer", minimum: 1, "x-error": { required: "each: falta", minimum: "each: es poco" } },
      },
    });

    it("with one text for all errors", () => {
      for (const one of [undefined, null, "1", 0])
        expect(refusal(parse, { one, each: 1 })).to.equal("one: siempre esto");
    });

    it("but names the maximum length of a text that is too long", () => {
      const list = { type: "array", items: { type: "string", maxLength: 2 }, maxItems: 2, "x-error": "siempre esto" };
      const parseList = parser({ type: "object", properties: { list } } as ObjectSchema);
      expect(refusal(parseList, { list: ["a", "abc"] })).to.equal("list[1] no puede tener más de 2 caracteres");
      expect(refusal(parseList, { list: ["a", "b", "c"] })).to.equal("list no puede tener más de 2 elementos");
      expect(refusal(parseList, { list: [1] })).to.equal("siempre esto");
    });

    it("or with one for each keyword, and the usual ones for the others", () => {
      expect(refusal(parse, { one: 1 })).to.equal("each: falta");
      expect(refusal(parse, { one: 1, each: 0 })).to.equal("each: es poco");
      expect(refusal(parse, { one: 1, each: "1" })).to.equal("each debe ser un número");
    });
  });

  describe("numbers written as digits", () => {
    const id = { type: "object", required: ["id"], properties: { id: idOf("thing") } } as const;
    const numericId = { ...id, properties: { id: numericIdOf("thing") } } as const;
    const accepted: [raw: unknown, id: number][] = [
      ["5", 5],
      ["007", 7],
      [5, 5],
      [1e3, 1000],
      ["9007199254740991", 9007199254740991],
    ];
    const refused: unknown[] = [
      ...["1e3", " 5", "5 ", "+5", "-1", "0", "1.5", "0x10", "", "٥", "5\n", "9007199254740992", "9007199254740993"],
      ...[
        "99999999999999999",
        "Infinity",
        "NaN",
        "true",
        "null",
        null,
        true,
        false,
        0,
        -1,
        1.5,
        2 ** 53,
        [5],
        ["5"],
        {},
      ],
    ];

    it("count as numbers in a query, also negative and with a fraction, and errors say so", () => {
      const page = { type: "object", properties: { page: { type: "integer", minimum: 1 } } } as const;
      expect(parser(page, true)({ page: "100000000000000000000" })).to.deep.equal({ page: 1e20 });
      for (const wrong of ["0", "-1", "1.5"]) {
        expect(() => parser(page, true)({ page: wrong }), wrong).to.throw(InvalidInput, /^page no es válido$/);
      }
      for (const wrong of ["x", "1e3", "", "--1", "1."]) {
        expect(() => parser(page, true)({ page: wrong }), wrong).to.throw(InvalidInput, /^page debe ser un número$/);
      }
    });

    for (const [raw, expected] of accepted) {
      it(`count as ${expected} in a path and for numeric ids of a body: ${JSON.stringify(raw)}`, () => {
        expect(parser(numericId)({ id: raw })).to.deep.equal({ id: expected });
        expect(parser(id, true)({ id: raw })).to.deep.equal({ id: expected });
      });
    }
    for (const raw of refused) {
      it(`do not include ${JSON.stringify(raw)}`, () => {
        for (const parse of [parser(numericId), parser(id, true), parser(id)]) {
          expect(refusal(parse, { id: raw })).to.match(/^id (no es válido|debe ser un número)$/);
        }
      });
    }

    it("are texts in any other field of a body", () => {
      expect(refusal(parser(id), { id: "5" })).to.equal("id debe ser un número");
    });

    it("count in paths and queries also for nullable numbers, and true and false count for booleans", () => {
      const schema = {
        type: "object",
        properties: { n: { type: ["integer", "null"] }, b: { type: "boolean" }, t: text },
      };
      const parse = parser(schema as ObjectSchema, true);
      expect(parse({ n: "5", b: "true", t: "5" })).to.deep.equal({ n: 5, b: true, t: "5" });
      expect(parse({ b: "false", t: "true" })).to.deep.equal({ b: false, t: "true" });
      for (const b of ["1", "TRUE", "", "yes"]) expect(refusal(parse, { b })).to.equal("b debe ser un booleano");
    });

    it("do not change the caller's object", () => {
      const raw = { id: "5" };
      parser(numericId)(raw);
      expect(raw).to.deep.equal({ id: "5" });
    });
  });

  it("is not confused by fields with the names of an object's own members", () => {
    const parse = parser({ type: "object", required: ["name"], properties: { name: text } });
    const raw = JSON.parse('{"name":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect(parse(raw).name).to.equal("a");
    expect(({} as Record<string, unknown>).polluted).to.equal(undefined);
    expect(refusal(parse, JSON.parse('{"__proto__":{"name":"a"}}'))).to.equal("name es requerido");
  });

  it("accepts exactly what Ajv accepts, and throws nothing but InvalidInput", () => {
    const parse = parser(thing);
    const isValid = new Ajv2020({ allowUnionTypes: true }).compile(thing);
    const field = fc.constantFrom(...Object.keys(thing.properties), "__proto__", "constructor", "other");
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>("a", 1, 2, null, "red", true, [1], [1, "2"], [{ number: "1" }], { a: "b" }),
    );
    const near = fc.record({ name: fc.constant("a"), count: fc.constantFrom(1, 5) });
    const input = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(field, value),
      fc.tuple(near, fc.dictionary(field, value, { maxKeys: 2 })).map(([a, b]) => ({ ...a, ...b })),
    );
    let accepted = 0;
    fc.assert(
      fc.property(input, (raw) => {
        const isObject = typeof raw === "object" && raw !== null && !Array.isArray(raw);
        const withDefault = isObject ? Object.assign({ count: 1 }, raw) : raw;
        const expected = isValid(structuredClone(withDefault));
        let actual = true;
        try {
          parse(structuredClone(raw));
          accepted += 1;
        } catch (error) {
          if (!(error instanceof InvalidInput)) throw error;
          actual = false;
        }
        expect(actual, JSON.stringify(raw)).to.equal(expected);
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).to.be.greaterThan(100);
  });
});
