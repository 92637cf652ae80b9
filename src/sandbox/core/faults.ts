import { BadInput, flag, integer, oneOf, optional, reader, type Settings, shape, text } from "./input.ts";

const maxWaiting = 1_000;

const readerOf = (operations: readonly string[]) =>
  shape({
    count: reader<number>({ ...integer(1, 1_000_000).json, default: 1, optional: true }),
    /** The HTTP status of the answer. Without `code` and `garbage`, the body is an HTML page, as from a gateway. */
    status: optional(integer(200, 599)),
    /** The platform's own error code. The answer has the platform's form. */
    code: optional(integer(0, 999_999_999)),
    subcode: optional(integer(0, 999_999_999)),
    message: optional(text()),
    /** Seconds for a Retry-After header. */
    retry_after: optional(integer(0, 86_400)),
    /** Milliseconds between handling the request and answering it. */
    delay_ms: optional(integer(0, 600_000)),
    /** The request is never answered; the connection stays open. */
    hang: optional(flag),
    /** The connection is reset after the request was read. */
    reset: optional(flag),
    /** The body is cut off and therefore not JSON. The status is 200 if `status` is absent. */
    garbage: optional(flag),
    /** The request takes effect although the answer is wrong or missing. */
    accept: optional(flag),
    /** The operation that the fault is for; any operation when absent. */
    path: optional(oneOf(...operations)),
  });

/** A failure or a delay of the next `count` requests for the operation `path`. */
export type Fault = Settings<ReturnType<typeof readerOf>>;

export class Faults {
  private waiting: { fault: Fault; left: number }[] = [];

  constructor(private readonly operations: readonly string[]) {}

  add(input: unknown): void {
    const fault = readerOf(this.operations)(input, "fault");
    if (this.waiting.length >= maxWaiting) throw new BadInput(`at most ${maxWaiting} faults can wait`);
    if (!spoilsAnswer(fault) && fault.delay_ms === undefined) {
      throw new BadInput("fault must have at least one of status, code, delay_ms, hang, reset, garbage");
    }
    this.waiting.push({ fault, left: fault.count });
  }

  /** The next fault for a request of this operation, if there is one. */
  take(operation: string): Fault | null {
    if (this.waiting.length === 0) return null;
    const next = this.waiting.find(({ fault }) => fault.path === undefined || fault.path === operation);
    if (next === undefined) return null;
    next.left -= 1;
    if (next.left === 0) this.waiting = this.waiting.filter((other) => other !== next);
    return next.fault;
  }

  list(): Fault[] {
    return this.waiting.map(({ fault, left }) => ({ ...fault, count: left }));
  }

  reset(): void {
    this.waiting = [];
  }
}

/** Whether the fault replaces or drops the real answer. Other faults only delay the answer. */
export function spoilsAnswer({ status, code, hang, reset, garbage }: Fault): boolean {
  return status !== undefined || code !== undefined || hang === true || reset === true || garbage === true;
}
