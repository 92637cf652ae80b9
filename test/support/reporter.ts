import Mocha from "mocha";

/** Mocha's report, followed by a line for machines: `12 passed, 1 failed, 0 skipped`. */
export default class Reporter extends Mocha.reporters.Spec {
  override epilogue(): void {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    Mocha.reporters.Base.consoleLog(`${passes} passed, ${failures} failed, ${pending} skipped`);
  }
}
