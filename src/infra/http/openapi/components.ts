import { isDeepStrictEqual } from "node:util";
import { maxId } from "../../../kernel/ids.ts";
import { extensionKeywords } from "../routing/schema.ts";

export type Json = Readonly<Record<string, unknown>>;

/**
 * The first three sets hold the keywords whose value is a schema, a list of schemas, or an object of schemas by name.
 * Keywords in `internal` are left out of the document. `example` becomes `examples`. Other keywords are copied.
 */
const oneSchema = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]);
const schemaLists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const schemasByName = new Set(["properties", "patternProperties", "dependentSchemas", "$defs"]);
const internal: ReadonlySet<string> = new Set(extensionKeywords);

/** Names that are valid in OpenAPI and AsyncAPI, and as a type name in most languages. */
const nameOfType = /^[A-Z][A-Za-z0-9]*$/;

/** Collects the named schemas of a document. */
export class Components {
  private readonly byName = new Map<string, unknown>();

  /**
   * The schema for the document: without internal keywords, and with references to named schemas.
   *
   * @throws Error if two different schemas have the same name
   */
  schemaOf(schema: unknown): unknown {
    if (typeof schema !== "object" || schema === null) return schema;
    const { "x-component": name } = schema as Json;
    const written = this.written(schema as Json);
    if (typeof name !== "string") return written;
    this.add(name, written);
    return { $ref: `#/components/schemas/${name}` };
  }

  get schemas(): Json {
    return Object.fromEntries([...this.byName].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private add(name: string, written: unknown): void {
    if (!nameOfType.test(name)) throw new Error(`a schema cannot be named ${name}`);
    const known = this.byName.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, written)) {
      throw new Error(`two different schemas are named ${name}`);
    }
    this.byName.set(name, written);
  }

  private written(schema: Json): Json {
    if (schema["x-numeric"] === true) return this.numberOrDigits(schema);
    const pairs = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (internal.has(keyword)) return [];
      if (keyword === "example") return [["examples", [value]]];
      if (oneSchema.has(keyword)) return [[keyword, this.schemaOf(value)]];
      if (schemaLists.has(keyword)) return [[keyword, (value as unknown[]).map((each) => this.schemaOf(each))]];
      if (!schemasByName.has(keyword)) return [[keyword, value]];
      const inner = Object.entries(value as object).map(([name, each]) => [name, this.schemaOf(each)]);
      return [[keyword, Object.fromEntries(inner)]];
    });
    return Object.fromEntries(isOpen(schema) ? [...pairs, ["additionalProperties", true]] : pairs);
  }

  private numberOrDigits(schema: Json): Json {
    const { "x-numeric": _, description, default: fallback, ...number } = schema;
    return {
      ...(description !== undefined && { description }),
      ...(fallback !== undefined && { default: fallback }),
      anyOf: [this.schemaOf(number), digits],
    };
  }
}

/** An object without stated fields. It gets `additionalProperties`, since code generators would treat it as empty. */
const isOpen = (schema: Json): boolean =>
  [schema.type].flat().includes("object") && !("properties" in schema) && !("additionalProperties" in schema);

const digits = { type: "string", pattern: "^[0-9]{1,16}$", description: `Digits of a number up to ${maxId}` };
