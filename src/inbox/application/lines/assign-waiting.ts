import { isOpenAt } from "../../domain/opening-hours.ts";
import type { WaitingLine, WaitingLines } from "./ports.ts";

/** Assigns waiting tickets or chats to their line's available agents, oldest first. Safe in any number of processes. */
export abstract class AssignWaiting<Line extends WaitingLine> {
  constructor(
    private readonly lines: WaitingLines<Line>,
    private readonly onFailure: (error: unknown, line: Line) => void,
  ) {}

  /** Returns how many were assigned. A line that fails does not stop the others. */
  execute(signal?: AbortSignal): Promise<number> {
    return this.executeFor(null, signal);
  }

  /** @param businessId - null for all businesses */
  async executeFor(businessId: number | null, signal?: AbortSignal): Promise<number> {
    let assigned = 0;
    for await (const line of this.openLines(businessId)) {
      try {
        for (let some = 1; some > 0 && !signal?.aborted; assigned += some) some = await this.assignSome(line);
      } catch (error) {
        this.onFailure(error, line);
      }
      if (signal?.aborted) break;
    }
    return assigned;
  }

  /** Assigns a batch in one transaction and returns its size; 0 if nothing can be assigned now. */
  protected abstract assignSome(line: Line): Promise<number>;

  private async *openLines(businessId: number | null): AsyncGenerator<Line> {
    let last: Line | null = null;
    do {
      const page: Line[] = await this.lines.list(businessId, last);
      yield* page.filter((line) => isOpenAt(line, new Date()));
      last = page.at(-1) ?? null;
    } while (last !== null);
  }
}
