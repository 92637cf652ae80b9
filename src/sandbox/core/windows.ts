import { dayMs } from "../../kernel/instants.ts";
import { RecentMap } from "./bounded.ts";
import { momentOf } from "./customer-input.ts";
import { BadInput, integer, optional, shape } from "./input.ts";
import { type ControlRoute, control } from "./route.ts";

const remembered = 200_000;
const readMessage = shape({ timestamp: optional(integer(0, 10_000_000_000)) });

/** When each customer last wrote to each sender. In the 24 hours after that, the sender may send any message. */
export class Windows {
  private readonly lastWritten = new RecentMap<number>(remembered);

  /** @param at - milliseconds since 1970 */
  record(sender: string, customer: string, at: number): void {
    this.lastWritten.set(`${sender} ${customer}`, at);
  }

  /** Milliseconds since the customer last wrote; `undefined` if the customer never wrote. */
  silence(sender: string, customer: string): number | undefined {
    const at = this.lastWritten.get(`${sender} ${customer}`);
    return at === undefined ? undefined : Date.now() - at;
  }

  isOpen(sender: string, customer: string): boolean {
    const silence = this.silence(sender, customer);
    return silence !== undefined && silence < dayMs;
  }

  clear(): void {
    this.lastWritten.clear();
  }

  sayRoute(platform: string, isSender: (id: string) => boolean): ControlRoute {
    const about = "a customer writes to it, which opens its 24 hours and sends no webhook: {timestamp}";
    return control(`POST /__sandbox/${platform}/{sender}/customers/{customer}/say`, about, (input, { path }) => {
      const { sender = "", customer = "" } = path;
      if (!isSender(sender)) throw new BadInput(`there is no ${sender.slice(0, 100)}`);
      const at = momentOf(readMessage(input, "body").timestamp);
      this.record(sender, customer, at);
      return { at: new Date(at).toISOString() };
    });
  }
}
