import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const fadesEnd = `Promise.all(
  document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    .map(({ finished }) => finished.catch(() => {})),
)`;

/**
 * The violations that axe finds in the page, by rule, with their elements.
 *
 * @param rules - the rules to check. Without it, all rules are checked.
 */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Contrast is only right after animations have ended.
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

/** The schemes differ only in their colors, so most rules are checked only in the light one. */
export const rulesIn = { light: undefined, dark: ["color-contrast"] } as const;

/** Checks a view in light and in dark. Returns axe's violations, and the widths at which the page scrolls sideways. */
export async function flaws(page: Page, view: string): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [1440, 768, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const tooWide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (tooWide > 0) found.push(`${tooWide} px too wide at ${width}`);
      if (process.env.SHOTS) {
        const name = view.replaceAll(/\W/g, "_");
        await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${colorScheme}.png` });
      }
    }
    found.push(...(await axeViolations(page, rulesIn[colorScheme])));
  }
  return found.map((each) => `${view}: ${each}`);
}
