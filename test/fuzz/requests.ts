import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { Route } from "../../src/infra/http/routing/route.ts";
import { png } from "../messaging/media-files.ts";
import { appSecret, aWebhook } from "../support/world.ts";
import { anything, type Ids, type Json, objectOf, oddTexts, plainOf, record, spoil, spoilings } from "./values.ts";

/** A request without its credentials, which are added when it is sent. */
export interface FuzzRequest {
  readonly operationId: string;
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes as latin1, so that a printed request can be repeated; null for none. */
  readonly body: string | null;
  readonly chunked: boolean;
  readonly who: Who;
}

type Credential = "key" | "session" | "query" | "body" | "reports-key" | "wrong-key" | "wrong-token" | "both";

export interface Who {
  /** The business that sends the request. */
  readonly businessId: number;
  readonly credential: Credential | "none";
}

/** Two businesses send requests. A third one must not be affected. */
export const asking = [1, 2] as const;
export const untouched = 3;
/** The id of a business that does not exist. */
const nowhere = 98_764;

/** The first id of each kind of record of a business. */
export const firstIdOf = (businessId: number): number => businessId * 100 + 1;

/** Each business has at least three records of each of these kinds. */
const several = ["template", "contact", "chat", "order", "detail", "article", "extra", "registration", "campaign"];

const idsFor = (businessId: number): Ids => ({
  ownOf: (entity) => {
    if (entity === "business") return fc.constant(businessId);
    const first = firstIdOf(businessId);
    return several.includes(entity) ? fc.integer({ min: first, max: first + 2 }) : fc.constant(first);
  },
  idOf: (entity) => {
    const idIn = (each: number) => (entity === "business" ? each : firstIdOf(each));
    const own = idIn(businessId);
    const others = [...asking, untouched, nowhere].filter((each) => each !== businessId).map(idIn);
    return fc.oneof(
      { weight: 12, arbitrary: fc.constant(own) },
      { weight: entity === "business" ? 0 : 3, arbitrary: fc.integer({ min: own, max: own + 3 }) },
      { weight: 2, arbitrary: fc.constantFrom(...others) },
    );
  },
});

export function requestsOf(route: Route): fc.Arbitrary<FuzzRequest> {
  return fc.constantFrom(...asking).chain((businessId) => {
    const ids = idsFor(businessId);
    return fc
      .record({
        params: paramsOf(route, ids),
        query: queryOf(route, ids),
        body: bodyOf(route, ids, businessId),
        headers: headersOf(route),
        who: whoOf(route, businessId),
        method: fc.oneof(
          { weight: 40, arbitrary: fc.constant(route.method.toUpperCase()) },
          {
            weight: 1,
            arbitrary: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"),
          },
        ),
        chunked: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.boolean() }),
      })
      .map(({ params, query, body, headers, who, method, chunked }) => ({
        operationId: route.operationId,
        method,
        path: route.path.replaceAll(/:(\w+)/g, (_, name) => params[name] ?? "1") + query,
        headers: { ...body.headers, ...headers },
        body: body.bytes,
        chunked: chunked && body.bytes !== null,
        who,
      }));
  });
}

/** Replaces lone surrogates, which cannot be encoded. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

const encoded = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return encodeURIComponent(wellFormed(text)).slice(0, 1_500);
};

/** Raw path segments, including some that no encoder produces. */
const rawOddities = [
  "%",
  "%zz",
  "%ff",
  "%00",
  "%2e%2e%2f",
  "..",
  "%252e",
  "+",
  "%ED%A0%80",
  "%F0%9F%92%A5",
  "a;b",
  "1,2",
];
const rawOdd = fc.oneof(
  fc.constantFrom(...rawOddities),
  fc.constantFrom(...oddTexts).map(encoded),
  anything.map(encoded),
);

function paramsOf(route: Route, ids: Ids): fc.Arbitrary<Record<string, string>> {
  const good = fc.oneof(plainOf(record(route.params), ids), objectOf(record(route.params), ids));
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
  const odd = fc.option(fc.record({ name: fc.constantFrom(...names, ""), value: rawOdd }), { freq: 8 });
  return fc.tuple(good, odd).map(([values, each]) => {
    const texts = Object.fromEntries(names.map((name) => [name, encoded(values[name] ?? "1") || "1"]));
    return each && each.name !== "" ? { ...texts, [each.name]: each.value || "%20" } : texts;
  });
}

function queryOf(route: Route, ids: Ids): fc.Arbitrary<string> {
  const asked = fc.oneof(plainOf(record(route.query), ids), objectOf(record(route.query), ids));
  const good = asked.map((values) => Object.entries(values).map(([name, value]) => `${name}=${encoded(value)}`));
  const names = [...Object.keys(record(route.query).properties ?? {}), "token", "__proto__", "a[b]", "x", ""];
  const odd = fc.array(
    fc
      .tuple(fc.constantFrom(...names), fc.constantFrom("=", "", "[]=", "[0]=", "=="), rawOdd)
      .map(([name, sign, value]) => `${name}${sign}${value}`),
    { maxLength: 3 },
  );
  const extra = fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: odd });
  return fc.tuple(good, extra).map(([pairs, more]) => {
    const all = [...pairs, ...more];
    return all.length === 0 ? "" : `?${all.join("&")}`;
  });
}

interface Body {
  readonly bytes: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const json = (value: unknown): Body => {
  const text = JSON.stringify(value);
  return text === undefined
    ? { bytes: null, headers: {} }
    : { bytes: Buffer.from(text).toString("latin1"), headers: { "content-type": "application/json" } };
};

const rawBodies = fc.constantFrom(
  "",
  "{",
  "[",
  "null",
  "{}",
  "[]",
  '"text"',
  "1e400",
  "{'a':1}",
  '{"a":1,}',
  '{"a":1}{"b":2}',
  "[".repeat(50_000),
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  "\xff\xfe{}",
  "\xef\xbb\xbf{}",
  '{"a":"\xc3\x28"}',
  '{"a":"\\ud800"}',
  "a=b&c=d",
  "<xml/>",
  "\0".repeat(100),
  `{"a":"${"x".repeat(1_200_000)}"}`,
);

/** Ways to damage or compress a valid body before it is sent. */
const transports = fc.oneof(
  { weight: 30, arbitrary: fc.constant("as it is" as const) },
  { weight: 1, arbitrary: fc.constantFrom("cut", "doubled", "repeated keys", "gzip", "cut gzip", "not gzip" as const) },
);

function transported({ bytes, headers }: Body, how: string): Body {
  if (bytes === null) return { bytes, headers };
  const gzip = () => gzipSync(Buffer.from(bytes, "latin1")).toString("latin1");
  if (how === "cut") return { bytes: bytes.slice(0, Math.floor(bytes.length / 2)), headers };
  if (how === "doubled") return { bytes: bytes + bytes, headers };
  if (how === "repeated keys") return { bytes: bytes.replace(/^\{(.+)\}$/s, "{$1,$1}"), headers };
  if (how === "gzip") return { bytes: gzip(), headers: { ...headers, "content-encoding": "gzip" } };
  if (how === "cut gzip") return { bytes: gzip().slice(0, -9), headers: { ...headers, "content-encoding": "gzip" } };
  if (how === "not gzip") return { bytes, headers: { ...headers, "content-encoding": "gzip" } };
  return { bytes, headers };
}

function bodyOf(route: Route, ids: Ids, businessId: number): fc.Arbitrary<Body> {
  const raw = rawBodies.map((bytes) => ({ bytes, headers: { "content-type": "application/json" } }));
  const good = goodBodyOf(route, ids, businessId);
  const sent = fc.tuple(good, transports).map(([body, how]) => transported(body, how));
  return fc.oneof({ weight: 25, arbitrary: sent }, { weight: route.body === undefined ? 0 : 1, arbitrary: raw });
}

function goodBodyOf(route: Route, ids: Ids, businessId: number): fc.Arbitrary<Body> {
  if (route.body === undefined) return fc.constant({ bytes: null, headers: {} });
  if (route.body === "multipart") return forms;
  if (route.body === "csv") return csvFiles;
  if (route.operationId === "receiveCloudWebhook") return webhooks(businessId);
  if (route.body === "raw") return channelRequests;
  const good = fc.oneof(plainOf(record(route.body), ids), objectOf(record(route.body), ids));
  return fc.tuple(good, spoilings).map(([value, all]) => json(spoil(value, all)));
}

const csvCell = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("59177700001", "59177700002", "Ana", "true", "", "VIP|Nuevo", '"a, ""b"""') },
  fc.constantFrom(...oddTexts).map((text) => Buffer.from(wellFormed(text)).toString("latin1")),
  fc.constantFrom('"', "\xf1", "=1+1", "x".repeat(2_000), "1".repeat(30)),
);

const csvFiles: fc.Arbitrary<Body> = fc
  .record({
    header: fc.oneof(
      { weight: 6, arbitrary: fc.constant("numero,nombre,opted_out,tags,Ciudad") },
      fc.constantFrom("numero;nombre", "nombre", "", "numero,numero", "numero,__proto__,constructor", "\xff,numero"),
    ),
    rows: fc.array(fc.array(csvCell, { maxLength: 6 }), { maxLength: 20 }),
    end: fc.constantFrom("\r\n", "\n", "\n", "\r"),
    type: fc.oneof(
      { weight: 9, arbitrary: fc.constant("text/csv") },
      fc.constantFrom("text/csv; charset=latin1", "text/plain", ""),
    ),
  })
  .map(({ header, rows, end, type }) => ({
    bytes: [header, ...rows.map((row) => row.join(","))].join(end),
    headers: { "content-type": type },
  }));

const part = fc.record({
  name: fc.oneof({ weight: 8, arbitrary: fc.constant("file") }, fc.constantFrom("other", "", "__proto__", "file[]")),
  fileName: fc.option(fc.oneof(fc.constant("a.png"), fc.constantFrom(...oddTexts))),
  type: fc.constantFrom("image/png", "text/html", "application/octet-stream", "garbage", ""),
  content: fc.oneof(
    { weight: 4, arbitrary: fc.constant(png().toString("latin1")) },
    fc.constantFrom("", "%PDF-1.4", "<svg onload=alert(1)>", "\xff\xd8\xff\xe0", "x".repeat(200_000)),
  ),
});

const oneFile = {
  parts: [{ name: "file", fileName: "a.png", type: "image/png", content: png().toString("latin1") }],
  boundary: "b",
  end: "--b--\r\n",
};

const oddForms = fc.record({
  parts: fc.oneof(fc.array(part, { minLength: 1, maxLength: 1 }), fc.array(part, { maxLength: 25 })),
  boundary: fc.constantFrom("b", "b", "b", '"b"', "", "other", "x".repeat(80)),
  end: fc.constantFrom("--b--\r\n", "--b--\r\n", "--b--\r\n", "", "--b", "\r\n"),
});

const forms: fc.Arbitrary<Body> = fc
  .oneof({ weight: 1, arbitrary: fc.constant(oneFile) }, { weight: 3, arbitrary: oddForms })
  .map(({ parts, boundary, end }) => {
    const written = parts.map(({ name, fileName, type, content }) => {
      const quoted = (text: string) => wellFormed(text.replaceAll(/["\r\n]/g, "_"));
      const file = fileName === null ? "" : `; filename="${quoted(fileName)}"`;
      const head = `--b\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\nContent-Type: ${type}\r\n\r\n`;
      return `${Buffer.from(head).toString("latin1")}${content}\r\n`;
    });
    return {
      bytes: written.join("") + end,
      headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    };
  });

/** Webhooks for the business's own number, some of them mutated. Most have a valid signature. */
function webhooks(businessId: number): fc.Arbitrary<Body> {
  const phone = fc.constantFrom(customerOf(businessId), "59177700000", "1", "not a number", "9".repeat(40));
  const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 30 }), fc.constantFrom(...oddTexts));
  const id = fc.oneof(fc.uuid(), fc.constantFrom("wamid.1", "wamid.2", ""));
  const at = fc.constantFrom("1767225600", "0", "-1", "99999999999999", "x", "1767225600.5");
  const message = fc.record(
    {
      from: phone,
      id,
      timestamp: at,
      type: fc.constantFrom("text", "image", "button", "reaction", "order", "unsupported", "__proto__"),
      text: fc.record({ body: text }),
      image: fc.record({ id: text, mime_type: fc.constant("image/png"), caption: text }),
      button: fc.record({ text, payload: text }),
      referral: fc.record({ source_id: text, source_type: fc.constantFrom("ad", "post") }),
    },
    { requiredKeys: ["from", "id", "timestamp", "type", "text"] },
  );
  const status = fc.record({
    id,
    status: fc.constantFrom("sent", "delivered", "read", "failed", "deleted", "other"),
    timestamp: at,
    recipient_id: phone,
    biz_opaque_callback_data: fc.oneof(fc.uuid(), fc.constantFrom(...oddTexts)),
    errors: fc.constantFrom<unknown>([], [{ code: 131_026, title: "x" }], [{ code: "x" }], null),
  });
  const value = fc.record(
    {
      contacts: fc.array(fc.record({ wa_id: phone, profile: fc.record({ name: text }) }), { maxLength: 2 }),
      messages: fc.array(message, { maxLength: 3 }),
      statuses: fc.array(status, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  );
  return fc
    .tuple(value, spoilings, fc.constantFrom("right", "right", "right", "right", "wrong", "none"))
    .map(([content, all, signature]) => {
      const body = json(spoil(aWebhook(businessId, content), all));
      const signed = createHmac("sha256", signature === "right" ? appSecret : "other");
      const digest = signed.update(Buffer.from(body.bytes ?? "", "latin1")).digest("hex");
      return signature === "none"
        ? body
        : { ...body, headers: { ...body.headers, "x-hub-signature-256": `sha256=${digest}` } };
    });
}

const channelRequests: fc.Arbitrary<Body> = fc
  .record({
    socket_id: fc.constantFrom("1.2", "1.2", "x", "", ...oddTexts),
    channel_name: fc.constantFrom("private-empresa-1", "private-empresa-2", "private-empresa-3", "x", ...oddTexts),
    isForm: fc.boolean(),
    all: spoilings,
  })
  .map(({ isForm, all, ...fields }) => {
    if (!isForm) return json(spoil(fields, all));
    return {
      bytes: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    };
  });

/** Unusual header values that Node's client can send. */
const headerText = fc.constantFrom("", " ", "x", "\xe9\xff", "a".repeat(300), "a, b", '"', "0", "-1", "\t");

const oddHeaders: fc.Arbitrary<Json> = fc.record(
  {
    "content-type": fc.constantFrom(
      "application/json; charset=utf-8",
      "application/json; charset=utf-16",
      "application/json; charset=latin1",
      "application/json;charset=x-none",
      "application/vnd.api+json",
      "text/plain",
      "text/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "multipart/form-data; boundary=b",
      "garbage",
      "",
      ";;;",
    ),
    accept: fc.constantFrom(
      "*/*",
      "text/csv",
      "text/html",
      "application/json",
      "text/csv;q=0.1, */*",
      "garbage",
      ";q=x",
    ),
    "accept-language": headerText,
    "accept-encoding": fc.constantFrom("gzip", "br", "*", "identity;q=0"),
    "content-encoding": fc.constantFrom("identity", "br", "deflate", "x-none"),
    range: fc.constantFrom("bytes=0-", "bytes=5-1", "bytes=-1", "bytes=0-0,2-3", "bytes=99999999999999999999-", "x"),
    "if-none-match": fc.constantFrom("*", '"x"', "x"),
    "if-modified-since": headerText,
    "x-request-id": fc.constantFrom("", " ", "\xe9", "a, b", "a".repeat(300)),
    "x-forwarded-for": fc.constantFrom("1.2.3.4", "::1", "garbage, 1.2.3.4"),
    "x-http-method-override": fc.constantFrom("DELETE", "GET"),
    origin: fc.constantFrom("https://x.test", "null", ""),
    cookie: headerText,
    host: fc.constantFrom("x.test", "[::1]", "a b", ""),
  },
  { requiredKeys: [] },
);

function headersOf(route: Route): fc.Arbitrary<Record<string, string>> {
  const key = fc.oneof(fc.constantFrom("k1", "k2", "k3", "k".repeat(255)), fc.uuid(), headerText);
  const match = fc.oneof(
    fc.constantFrom("*", '"1"', '"101-1"', 'W/"1"', '"1", "2"', '""', "1", '"\xe9"', `"${"9".repeat(50)}"`),
    headerText,
  );
  const keys = route.idempotent ? 6 : 1;
  const matches = route.conditional ? 6 : 1;
  return fc
    .tuple(
      fc.oneof({ weight: 12, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddHeaders }),
      fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: keys, arbitrary: key }),
      fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: matches, arbitrary: match }),
    )
    .map(([odd, once, version]) => ({
      ...(odd as Record<string, string>),
      ...(once !== null && { "idempotency-key": once }),
      ...(version !== null && { "if-match": version }),
    }));
}

const usual: Readonly<Record<Route["auth"], readonly Credential[]>> = {
  "key-or-token": ["key"],
  session: ["session", "session", "query"],
  "key-or-session": ["key", "session", "query"],
  "key-or-body-token": ["key", "reports-key", "body"],
  none: ["key"],
};

const whoOf = (route: Route, businessId: number): fc.Arbitrary<Who> =>
  fc.record({
    businessId: fc.constant(businessId),
    credential: fc.oneof(
      { weight: 25, arbitrary: fc.constantFrom<Who["credential"]>(...usual[route.auth]) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Who["credential"]>(
          "none",
          "wrong-key",
          "wrong-token",
          "both",
          "body",
          "query",
          "key",
        ),
      },
    ),
  });

/** The phone number of the business's first customer. */
export const customerOf = (businessId: number): string => `59166${String(businessId).repeat(6)}`;
