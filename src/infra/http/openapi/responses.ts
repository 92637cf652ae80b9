import type { AnyDialect } from "../routing/dialect.ts";
import type { ResponseSpec, Route } from "../routing/route.ts";
import { codedFailure, type Schema, unnamed } from "../routing/schema.ts";
import {
  type CommonName,
  type CommonResponse,
  commonFailures,
  commonResponses,
  isSaidBesideOwn,
} from "./common-responses.ts";
import type { Components, Json } from "./components.ts";
import { headersOfSuccess, retryAfter, sharedHeaders } from "./headers.ts";

type Codes = readonly string[];

/** Writes the answers of operations and collects shared answers and headers. */
export class Responses {
  private readonly shared = new Map<CommonName, Json>();
  private readonly headers = new Map<string, Json>();

  constructor(private readonly schemas: Components) {}

  get components(): Json {
    return {
      ...(this.shared.size > 0 && { responses: Object.fromEntries(this.shared) }),
      ...(this.headers.size > 0 && { headers: Object.fromEntries(this.headers) }),
    };
  }

  /** The answers of an operation by status. */
  responsesOf(route: Route): Json {
    const common = commonFailures(route);
    const codes = isCoded(route) ? errorCodesOf(route.dialect) : new Map<number, Codes>();
    const own = Object.entries(route.responses).map(([status, response]) => {
      const name = common[Number(status)];
      const other: CommonResponse | undefined = name && isSaidBesideOwn(name) ? commonResponses[name] : undefined;
      const said = other ? either(response, other) : response;
      const whole = /^2/.test(status) ? { ...said, headers: { ...said.headers, ...headersOfSuccess(route) } } : said;
      return [status, this.responseOf(whole, [...(codes.get(Number(status)) ?? []), ...(other?.codes ?? [])])];
    });
    const others = Object.entries(common)
      .filter(([status]) => !(status in route.responses))
      .map(([status, name]) => [status, this.common(name)]);
    return Object.fromEntries([...others, ...own]);
  }

  responseOf(response: ResponseSpec, codes: Codes = []): Json {
    const { description, schema, type = "application/json", otherTypes, headers } = response;
    const others = (otherTypes ?? []).map((other) => [other, { schema: { type: "string" } }]);
    const described = Object.entries(headers ?? {}).map(([name, says]) => [name, this.header(name, says)]);
    return {
      description,
      ...(described.length > 0 && { headers: Object.fromEntries(described) }),
      ...(schema !== undefined && {
        content: { [type]: { schema: this.schemas.schemaOf(withCodes(schema, codes)) }, ...Object.fromEntries(others) },
      }),
    };
  }

  private common(name: CommonName): Json {
    const response: CommonResponse = commonResponses[name];
    if (!this.shared.has(name)) this.shared.set(name, this.responseOf(response, response.codes));
    return { $ref: `#/components/responses/${name}` };
  }

  private header(name: string, description: string): Json {
    const header = { description, schema: { type: "string" } };
    if (!sharedHeaders.has(name)) return header;
    if (name === "Retry-After" && description !== retryAfter) return header;
    this.headers.set(name, header);
    return { $ref: `#/components/headers/${name}` };
  }
}

function either(own: ResponseSpec, common: CommonResponse): ResponseSpec {
  const { schema = common.schema } = own;
  return {
    ...own,
    description: `${own.description}; or: ${common.description}`,
    schema: alternativesOf(schema).includes(common.schema) ? schema : eitherSchema(schema, common.schema),
    headers: { ...common.headers, ...own.headers },
  };
}

const alternativesOf = (schema: Schema): readonly Schema[] =>
  typeof schema === "boolean" ? [schema] : [schema, ...(schema.anyOf ?? [])];

const eitherSchema = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas });

const isCoded = ({ responses }: Route): boolean =>
  Object.values(responses).some(({ schema }) => Object.is(schema, codedFailure));

/** `CodedFailure` with an enum of the codes. */
function withCodes(schema: Schema, codes: Codes): Schema {
  if (codes.length === 0 || typeof schema === "boolean") return schema;
  if (schema.anyOf) {
    const others = schema.anyOf.map(codeOf);
    const left = codes.filter((code) => !others.includes(code));
    return { ...schema, anyOf: schema.anyOf.map((each) => withCodes(each, left)) };
  }
  if (!Object.is(schema, codedFailure)) return schema;
  const { properties, ...failure } = unnamed(codedFailure);
  return { ...failure, properties: { ...properties, code: { type: "string", enum: [...new Set(codes)] } } };
}

/** The code of a more specific failure, which has a schema of its own. */
function codeOf(schema: Schema): unknown {
  const code = typeof schema === "boolean" ? undefined : schema.properties?.code;
  return typeof code === "object" ? code.const : undefined;
}

/** The codes of an operation's failures by status, from its dialect. */
function errorCodesOf(dialect: AnyDialect): ReadonlyMap<number, readonly string[]> {
  const codes = new Map<number, string[]>();
  for (const word of Object.values(dialect as unknown as Record<string, (error: unknown) => [number, unknown]>)) {
    const [status, body] = word(anyError);
    const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
    if (typeof code !== "string") continue;
    const known = codes.get(status) ?? [];
    if (!known.includes(code)) codes.set(status, [...known, code]);
  }
  return codes;
}

/** Stands for any error: each property and each result of a call is this proxy again. */
const anyError: unknown = new Proxy(() => anyError, {
  get: (_target, name) => {
    if (name === Symbol.toPrimitive) return () => "";
    if (name === Symbol.iterator) return () => [][Symbol.iterator]();
    return anyError;
  },
  apply: () => anyError,
});
