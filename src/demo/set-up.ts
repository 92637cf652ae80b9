import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { sendersOf } from "../fixtures/businesses/insert.ts";

/** Asks the service in the name of an administrator, and answers what it answered. */
export interface Administrator {
  ask(method: string, path: string, body?: object): Promise<Answered>;
}

interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what it holds depends on the request
  readonly json: any;
}

/** Milliseconds: each request is a small one, to the same machine. */
const longestMs = 20_000;

export const administratorAt = (api: string, sessionToken: string): Administrator => ({
  async ask(method, path, body) {
    const response = await fetch(`${api}${path}`, {
      method,
      headers: { authorization: `Bearer ${sessionToken}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(longestMs),
    });
    const text = await response.text();
    return { status: response.status, json: text === "" ? null : JSON.parse(text) };
  },
});

/** Makes a record; rejects where it is not made. */
export async function made({ ask }: Administrator, resource: string, body: object): Promise<Answered["json"]> {
  const { status, json } = await ask("POST", `/admin/${resource}`, body);
  if (status !== 201) throw new Error(`the demo's ${resource}: ${status} ${JSON.stringify(json)}`);
  return json;
}

/** A record with the id that the rest of the demo knows it by. */
interface Numbered {
  readonly id: number;
  readonly body: object;
}

/**
 * What a business makes by itself: all of it by the requests that its administrator would make. What is there already, of a
 * start that broke off, stays.
 * @param numberFrom - makes that id the next one of the table
 */
export async function setUp(
  business: BusinessFixture,
  administrator: Administrator,
  numberFrom: (table: string, id: number) => Promise<void>,
): Promise<void> {
  for (const [resource, table, records] of numberedRecords(business)) {
    const missing = records.slice(await countOf(administrator, resource, records));
    const [first] = missing;
    if (first) await numberFrom(table, first.id);
    for (const { id, body } of missing) {
      const { id: given } = await made(administrator, resource, body);
      if (given !== id) throw new Error(`the demo's ${resource} ${id} became ${given}`);
    }
  }
  const { json: replies } = await administrator.ask("GET", "/admin/quick-replies?limit=100");
  for (const { shortcut, body } of (business.quickReplies ?? []).slice(replies.data.length)) {
    await made(administrator, "quick-replies", { nombre: shortcut, texto: body });
  }
  const { status, json } = await administrator.ask("PUT", "/admin/flags", business.flags);
  if (status !== 200) throw new Error(`the demo's flags: ${status} ${JSON.stringify(json)}`);
  await connect(business, administrator);
}

/** How many of the records are there: they are made one after the other. */
async function countOf({ ask }: Administrator, resource: string, records: readonly Numbered[]): Promise<number> {
  const { json } = await ask("GET", `/admin/${resource}?limit=100`);
  const there = new Set(json.data.map(({ id }: { readonly id: number }) => id));
  const missing = records.findIndex(({ id }) => !there.has(id));
  return missing === -1 ? records.length : missing;
}

/** In an order in which each finds those that it names. */
function numberedRecords(business: BusinessFixture): [resource: string, table: string, records: Numbered[]][] {
  const { departments, tags = [], steps, shop } = business;
  return [
    [
      "departments",
      "departments",
      departments.map(({ id, name, openingHours = null, outOfHoursMessage = null, agentIds = [] }) => ({
        id,
        body: { nombre: name, horario: openingHours, mensaje_fuera_de_horario: outOfHoursMessage, agentes: agentIds },
      })),
    ],
    ["tags", "tags", tags.map(({ id, name }) => ({ id, body: { nombre: name } }))],
    [
      "steps",
      "steps",
      steps.map(({ id, name, identifier, content, departmentId, tags: its = null }) => ({
        id,
        body: { nombre: name, identificador: identifier, contenido: content, departamento: departmentId, tags: its },
      })),
    ],
    ["branches", "branches", (shop?.branches ?? []).map(({ id, name }) => ({ id, body: { nombre: name } }))],
    [
      "zones",
      "zones",
      (shop?.zones ?? []).map(({ id, name, price, branchId }) => ({
        id,
        body: { nombre: name, precio: price, sucursal_id: branchId },
      })),
    ],
    [
      "articles",
      "articles",
      (shop?.articles ?? []).map(({ id, retailerId, ...article }) => ({
        id,
        body: { ...article, retailer_id: retailerId },
      })),
    ],
    ["extras", "article_extras", (shop?.extras ?? []).map(({ id, ...extra }) => ({ id, body: extra }))],
    [
      "drivers",
      "drivers",
      (shop?.drivers ?? []).map(({ id, name, phone }) => ({ id, body: { nombre: name, telefono: phone } })),
    ],
  ];
}

/** Tokens are tried with the platforms. One that is no stand-in knows none of the demo's: it is left out. */
async function connect(business: BusinessFixture, { ask }: Administrator): Promise<void> {
  const records = sendersOf(business).map(({ platformId, accountId, ...sender }) => ({
    resource: "senders",
    body: { ...sender, platform_id: platformId, account_id: accountId },
  }));
  const { ads } = business;
  const access = ads && {
    resource: "ad-accounts",
    body: { token: ads.token, default_account_id: ads.defaultAccountId },
  };
  for (const { resource, body } of access ? [...records, access] : records) {
    const { status, json } = await ask("POST", `/admin/${resource}`, body);
    if (status !== 201 && status !== 409)
      console.error(`business ${business.id} has none of its ${resource}: ${json?.error ?? status}`);
  }
}
