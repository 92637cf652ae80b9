/** Asks in somebody's name, and answers what was answered. */
export interface Requests {
  ask(method: string, path: string, body?: object): Promise<Answered>;
}

export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what it holds depends on the request
  readonly json: any;
}

/** Milliseconds: each request is a small one, to the same machine; a new password waits for those before it. */
const longestMs = 20_000;

/** @param sessionToken - of the user who asks */
export const requestsTo = (address: string, sessionToken?: string): Requests => ({
  async ask(method, path, body) {
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
  },
});

/** What is answered; rejects where that is a refusal. */
export async function asked({ ask }: Requests, method: string, path: string, body?: object): Promise<Answered["json"]> {
  const { status, json } = await ask(method, path, body);
  if (status >= 300) throw new Error(`the demo's ${method} ${path}: ${status} ${JSON.stringify(json)}`);
  return json;
}

/** Makes a record. */
export const made = (administrator: Requests, resource: string, body: object): Promise<Answered["json"]> =>
  asked(administrator, "POST", `/admin/${resource}`, body);

/** A record with the id that the rest of the demo knows it by. */
export interface Numbered {
  readonly id: number;
  readonly body: object;
}

/** Makes that id the next one of the table. */
export type NumberFrom = (table: string, id: number) => Promise<void>;

/** Where a stored file is served. */
export type AddressOf = (name: string) => string;

/** Makes the records that a start before this one did not make, one after the other; gives those by their ids. */
export async function makeMissing(
  administrator: Requests,
  resource: string,
  table: string,
  records: readonly Numbered[],
  numberFrom: NumberFrom,
): Promise<ReadonlyMap<number, Answered["json"]>> {
  const { data } = await asked(administrator, "GET", `/admin/${resource}?limit=100`);
  const last = Math.max(0, ...data.map(({ id }: { readonly id: number }) => id));
  const missing = records.filter(({ id }) => id > last);
  const [first] = missing;
  if (first) await numberFrom(table, first.id);
  const answers = new Map<number, Answered["json"]>();
  for (const { id, body } of missing) {
    const answer = await made(administrator, resource, body);
    if (answer.id !== id) throw new Error(`the demo's ${resource} ${id} became ${answer.id}`);
    answers.set(id, answer);
  }
  return answers;
}
