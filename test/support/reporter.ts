import { relative } from "node:path";
import Mocha from "mocha";

/**
 * Mocha's report, followed by lines for programs. Each file with a failure gets a line such as
 * `Failed: test/x.test.ts 3 1 0` with the numbers of its tests that passed, failed and were skipped. The last line, for
 * example `12 passed, 1 failed, 0 skipped`, counts the tests of all files.
 */
export default class Reporter extends Mocha.reporters.Spec {
  private readonly files = new Map<string, [passed: number, failed: number, skipped: number]>();

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const { EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING } = Mocha.Runner.constants;
    for (const [at, event] of [EVENT_TEST_PASS, EVENT_TEST_FAIL, EVENT_TEST_PENDING].entries())
      runner.on(event, ({ file = "" }: Mocha.Runnable) => {
        const counts = this.files.get(file) ?? [0, 0, 0];
        counts[at] = (counts[at] ?? 0) + 1;
        this.files.set(file, counts);
      });
  }

  override epilogue(): void {
    super.epilogue();
    const { passes, failures, pending } = this.stats;
    for (const [file, counts] of this.files)
      if (counts[1] > 0) Mocha.reporters.Base.consoleLog(`Failed: ${relative("", file)} ${counts.join(" ")}`);
    Mocha.reporters.Base.consoleLog(`${passes} passed, ${failures} failed, ${pending} skipped`);
  }
}
