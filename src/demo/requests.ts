/** Sends a request. `requestsTo` fixes the address and the optional session token. */
export type Requests = (method: string, path: string, body?: object) => Promise<Answer>;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what it holds depends on the request
  readonly json: any;
}

/** The longest wait for an answer, in milliseconds. The service hashes new passwords slowly, one after the other. */
const longestMs = 20_000;

export const requestsTo =
  (address: string, sessionToken?: string): Requests =>
  async (method, path, body) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(sessionToken !== undefined && { authorization: `Bearer ${sessionToken}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(longestMs),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, json: isJson ? JSON.parse(text) : null };
  };

/** Resolves to the JSON of the answer. Rejects if the service refuses the request. */
export async function asked(ask: Requests, method: string, path: string, body?: object): Promise<Answer["json"]> {
  const { status, json } = await ask(method, path, body);
  if (status >= 300) throw new Error(`the demo's ${method} ${path}: ${status} ${JSON.stringify(json)}`);
  return json;
}

export const made = (administrator: Requests, resource: string, body: object): Promise<Answer["json"]> =>
  asked(administrator, "POST", `/admin/${resource}`, body);

/** A record and the id that it must get, because other parts of the demo use that id. */
export interface Numbered {
  readonly id: number;
  readonly body: object;
}

/** Where the records of one business are created. */
export interface SetUpPlace {
  readonly administrator: Requests;
  /** The control side of the messaging platform's stand-in; null if the real platform is used. */
  readonly platform: Requests | null;
  /** Makes the next record of the table get this id. */
  numberFrom(table: string, id: number): Promise<void>;
  /** The address of a stored file. */
  addressOf(name: string): string;
}

/** Creates the records that earlier starts did not create, in the order of their ids. Returns the answers by id. */
export async function makeMissing(
  { administrator, numberFrom }: SetUpPlace,
  resource: string,
  records: readonly Numbered[],
): Promise<ReadonlyMap<number, Answer["json"]>> {
  const { data } = await asked(administrator, "GET", `/admin/${resource}?limit=100`);
  const last = Math.max(0, ...data.map(({ id }: { readonly id: number }) => id));
  const missing = records.filter(({ id }) => id > last);
  const [first] = missing;
  if (first) await numberFrom(resource === "extras" ? "article_extras" : resource, first.id);
  const answers = new Map<number, Answer["json"]>();
  for (const { id, body } of missing) {
    const answer = await made(administrator, resource, body);
    if (answer.id !== id) throw new Error(`the demo's ${resource} ${id} became ${answer.id}`);
    answers.set(id, answer);
  }
  return answers;
}
