/** Asks the clock for a run of its work soon; without a clock there is nobody to ask, and the next tick does it. */
export class Triggers {
  private ask: (name: string) => void = () => {};

  /** Returns at once and never throws. */
  trigger(name: string): void {
    this.ask(name);
  }

  connect(ask: (name: string) => void): void {
    this.ask = ask;
  }
}
