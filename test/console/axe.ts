import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Waits four frames, until a new menu has begun its animation. Then waits for the end of all finite animations. */
const fadesEnd = `(async () => {
  for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
  await Promise.all(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished.catch(() => {})),
  );
})()`;

/**
 * The violations that axe finds in the page, by rule, with their elements.
 *
 * @param rules - the rules to check; all rules unless given
 */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // While animations run, axe would measure wrong contrasts.
  await page.evaluate(fadesEnd);
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(source);
  const { violations } = await page.evaluate(
    (runOnly) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
        resultTypes: ["violations"],
        preload: false,
        ...(runOnly && { runOnly }),
      }),
    rules,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

/** The largest sideways overflow, in pixels, of the page, of `main` and of the first child of `main`. */
const tooWide = `Math.max(...["html", "main", "main > *"]
  .flatMap((each) => document.querySelector(each) ?? [])
  .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`;

const widths = [1440, 768, 360];

/**
 * Checks a view in light and in dark. Returns axe's violations, and the widths at which the view scrolls
 * sideways. The schemes differ only in their colors, so axe checks only the contrast in dark.
 *
 * @param checked - the widths at which axe checks the view. Each check takes about a second.
 */
export async function flaws(page: Page, view: string, checked: readonly number[] = [360]): Promise<string[]> {
  const found: string[] = [];
  for (const [colorScheme, rules] of [
    ["light", undefined],
    ["dark", ["color-contrast"]],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const overflow = await page.evaluate<number>(tooWide);
      if (overflow > 0) found.push(`${overflow} px too wide at ${width}`);
      if (process.env.SHOTS) {
        const name = view.replaceAll(/\W/g, "_");
        await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${colorScheme}.png` });
      }
      if (checked.includes(width)) found.push(...(await axeViolations(page, rules)));
    }
  }
  return found.map((each) => `${view}: ${each}`);
}
