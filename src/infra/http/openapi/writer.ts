import { ifMatchDescription } from "../entity-tags.ts";
import { keyDescription } from "../middleware/idempotency.ts";
import { fileField } from "../middleware/multipart.ts";
import type { RawBody, ResponseSpec, Route } from "../routing/route.ts";
import type { ObjectSchema, Schema } from "../routing/schema.ts";
import { Components, type Json } from "./components.ts";
import { Responses } from "./responses.ts";
import { securityOf } from "./security.ts";

/** A request that this service sends to another system. */
export interface Webhook {
  readonly name: string;
  readonly method: "get" | "post";
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly WebhookParameter[];
  readonly body?: Schema;
  /** The other side's answers. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
}

interface WebhookParameter {
  readonly in: "header" | "query";
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

/** By path in OpenAPI's syntax, then by method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** Writes the parts of a document and collects the components they refer to. */
export class Writer {
  private readonly schemas = new Components();
  private readonly responses = new Responses(this.schemas);

  get components(): Json {
    return { schemas: this.schemas.schemas, ...this.responses.components };
  }

  pathsOf(routes: readonly Route[]): Paths {
    const paths: Record<string, Record<string, Json>> = {};
    const ids = new Set<string>();
    for (const route of routes) {
      const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
      const operations = paths[path] ?? {};
      paths[path] = operations;
      const operation = `${route.method} ${route.path} (${route.operationId})`;
      if (operations[route.method]) throw new Error(`two routes for ${operation}`);
      if (ids.has(route.operationId)) throw new Error(`two routes with the operation id of ${operation}`);
      ids.add(route.operationId);
      operations[route.method] = this.operationOf(route);
    }
    return paths;
  }

  webhookOf({ method, operationId, tag, summary, description, parameters, body, responses }: Webhook): Json {
    const answers = Object.entries(responses).map(([status, response]) => [
      status,
      this.responses.responseOf(response),
    ]);
    return {
      [method]: {
        operationId,
        tags: [tag],
        summary,
        description,
        security: [],
        ...(parameters && {
          parameters: parameters.map((each) => ({
            ...each,
            required: true,
            schema: this.schemas.schemaOf(each.schema),
          })),
        }),
        ...(body && {
          requestBody: { required: true, content: { "application/json": { schema: this.schemas.schemaOf(body) } } },
        }),
        responses: Object.fromEntries(answers),
      },
    };
  }

  private operationOf(route: Route): Json {
    const parameters = [
      ...this.pathParametersOf(route),
      ...this.queryParametersOf(route.query),
      ...(route.idempotent ? [keyParameter] : []),
      ...(route.conditional ? [ifMatchParameter] : []),
    ];
    return {
      operationId: route.operationId,
      tags: [route.tag],
      summary: route.summary,
      ...describe(route),
      security: securityOf(route),
      ...(parameters.length > 0 && { parameters }),
      ...(route.body && { requestBody: this.requestBodyOf(route, route.body) }),
      responses: this.responses.responsesOf(route),
    };
  }

  private pathParametersOf(route: Route): Json[] {
    const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
    return names.map((name) =>
      this.parameter("path", name, route.params?.properties[name] ?? { type: "string" }, true),
    );
  }

  private queryParametersOf(query: ObjectSchema | undefined): Json[] {
    const required = new Set(query?.required ?? []);
    return Object.entries(query?.properties ?? {}).map(([name, schema]) =>
      this.parameter("query", name, schema, required.has(name)),
    );
  }

  private parameter(where: "path" | "query", name: string, property: Schema, required: boolean): Json {
    if (typeof property === "boolean") return { in: where, name, required, schema: property };
    // `x-numeric` also allows a number as a string of digits. In a URL this goes without saying.
    const { description, "x-numeric": _, ...schema } = property;
    return { in: where, name, required, ...(description && { description }), schema: this.schemas.schemaOf(schema) };
  }

  private requestBodyOf({ rawSchema, rawType = "application/json" }: Route, body: ObjectSchema | RawBody): Json {
    if (rawSchema !== undefined) {
      return { required: true, content: { [rawType]: { schema: this.schemas.schemaOf(rawSchema) } } };
    }
    if (body === "raw") return { required: true, content: { "*/*": { schema: {} } } };
    if (body === "csv") return { required: true, content: { "text/csv": { schema: { type: "string" } } } };
    if (body === "multipart") return { required: true, content: { "multipart/form-data": { schema: oneFile } } };
    const required = (body.required ?? []).length > 0;
    return { required, content: { "application/json": { schema: this.schemas.schemaOf(body) } } };
  }
}

function describe({ rules = {}, cost = 1 }: Route): Json {
  const lines = Object.entries(rules).map(([number, rule]) => `- **${number}** ${rule}`);
  if (cost > 1) lines.push(`- Counts for ${cost} requests in the rate.`);
  return lines.length === 0 ? {} : { description: lines.join("\n") };
}

const keyParameter: Json = {
  in: "header",
  name: "Idempotency-Key",
  required: false,
  description: keyDescription,
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
};

const ifMatchParameter: Json = {
  in: "header",
  name: "If-Match",
  required: false,
  description: ifMatchDescription,
  schema: { type: "string" },
};

const oneFile = {
  type: "object",
  required: [fileField],
  properties: { [fileField]: { type: "string", format: "binary" } },
};
