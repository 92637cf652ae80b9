import { BadInput, flag, integer, oneOf, optional, type Reader, shape, text } from "./input.ts";

/** What goes wrong with the next `count` requests. */
export interface Fault {
  readonly count: number;
  /** HTTP status of the answer; without `code` the body is a gateway's HTML page. */
  readonly status: number | undefined;
  /** The platform's own error code, answered in its own words. */
  readonly code: number | undefined;
  readonly subcode: number | undefined;
  readonly message: string | undefined;
  /** Seconds for a Retry-After header. */
  readonly retry_after: number | undefined;
  /** Milliseconds between handling the request and answering it. */
  readonly delay_ms: number | undefined;
  /** The request is never answered; the connection stays open. */
  readonly hang: boolean | undefined;
  /** The connection is reset once the request was read. */
  readonly reset: boolean | undefined;
  /** Status 200 and a body that is not JSON. */
  readonly garbage: boolean | undefined;
  /** The request takes effect although the answer is bad. */
  readonly accept: boolean | undefined;
  /** The operation that is hit; any when absent. */
  readonly path: string | undefined;
}

const maxWaiting = 1_000;

export class Faults {
  private waiting: { fault: Fault; left: number }[] = [];
  private readonly read: Reader<Fault>;

  /** @param operations what the platforms' routes are called */
  constructor(operations: readonly string[]) {
    this.read = shape<Fault>({
      count: (value, name) => optional(integer(1, 1_000_000))(value, name) ?? 1,
      status: optional(integer(200, 599)),
      code: optional(integer(0, 999_999_999)),
      subcode: optional(integer(0, 999_999_999)),
      message: optional(text()),
      retry_after: optional(integer(0, 86_400)),
      delay_ms: optional(integer(0, 600_000)),
      hang: optional(flag),
      reset: optional(flag),
      garbage: optional(flag),
      accept: optional(flag),
      path: optional(oneOf(...operations)),
    });
  }

  add(input: unknown): void {
    const fault = this.read(input, "fault");
    if (this.waiting.length >= maxWaiting) throw new BadInput(`at most ${maxWaiting} faults can wait`);
    if (!changesSomething(fault)) {
      throw new BadInput("fault must have at least one of status, code, delay_ms, hang, reset, garbage");
    }
    this.waiting.push({ fault, left: fault.count });
  }

  /** The fault for a request of this operation, if one waits. */
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

  clear(): void {
    this.waiting = [];
  }
}

const changesSomething = (fault: Fault): boolean => spoilsAnswer(fault) || fault.delay_ms !== undefined;

/** Whether the fault puts something else in the place of the real answer, and does not only delay it. */
export function spoilsAnswer({ status, code, hang, reset, garbage }: Fault): boolean {
  return status !== undefined || code !== undefined || hang === true || reset === true || garbage === true;
}
