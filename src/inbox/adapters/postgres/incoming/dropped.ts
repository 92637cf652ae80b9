import type { DropReason } from "../../../application/incoming/ports.ts";

export class Dropped {
  private readonly byReason = new Map<DropReason, number>();

  add(reason: DropReason, count = 1): void {
    if (count > 0) this.byReason.set(reason, (this.byReason.get(reason) ?? 0) + count);
  }

  get counts(): ReadonlyMap<DropReason, number> {
    return this.byReason;
  }
}
