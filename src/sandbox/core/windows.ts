import { RecentMap } from "./bounded.ts";

const windowMs = 24 * 60 * 60 * 1_000;
const remembered = 200_000;

/** When each customer last wrote to which sender: for 24 hours from then on any message may be sent. */
export class Windows {
  private readonly heard = new RecentMap<number>(remembered);

  /** @param at milliseconds since 1970 */
  hear(sender: string, customer: string, at: number): void {
    this.heard.set(`${sender} ${customer}`, at);
  }

  /** Milliseconds since the customer last wrote; `undefined` when that never happened. */
  silence(sender: string, customer: string): number | undefined {
    const at = this.heard.get(`${sender} ${customer}`);
    return at === undefined ? undefined : Date.now() - at;
  }

  isOpen(sender: string, customer: string): boolean {
    const silence = this.silence(sender, customer);
    return silence !== undefined && silence < windowMs;
  }

  clear(): void {
    this.heard.clear();
  }
}
