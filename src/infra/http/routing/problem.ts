/** A failure of the transport itself, worded alike on every endpoint: `{ message }`. */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** The JSON body where it is another than `{ message }`. */
    readonly body: unknown = { message },
  ) {
    super(message);
  }
}
