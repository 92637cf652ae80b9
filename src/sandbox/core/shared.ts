import { AcceptedMessages } from "./accepted.ts";

/** What all platforms have in common. */
export class Shared {
  readonly accepted: AcceptedMessages;
  /** Recipients that no platform reaches; each says so in its own words. */
  undeliverable: ReadonlySet<string>;

  constructor(private readonly settings: { readonly keepMessages: number; readonly undeliverable: readonly string[] }) {
    this.accepted = new AcceptedMessages(settings.keepMessages);
    this.undeliverable = new Set(settings.undeliverable);
  }

  reset(): void {
    this.accepted.clear();
    this.undeliverable = new Set(this.settings.undeliverable);
  }
}
