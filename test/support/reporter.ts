import Mocha from "mocha";

/**
 * Mocha's report, followed by the first failures of the tests that were tried again, and a line for machines:
 * `12 passed, 1 failed, 0 skipped`.
 */
export default class Reporter extends Mocha.reporters.Spec {
  private readonly repeated: string[] = [];

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(Mocha.Runner.constants.EVENT_TEST_RETRY, (test: Mocha.Test, error: Error) => {
      this.repeated.push(`Tried again: ${test.fullTitle()}\n${error.stack ?? error}\n`);
    });
  }

  override epilogue(): void {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    for (const failure of this.repeated) Mocha.reporters.Base.consoleLog(failure);
    Mocha.reporters.Base.consoleLog(`${passes} passed, ${failures} failed, ${pending} skipped`);
  }
}
