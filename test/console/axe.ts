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
 * What axe objects to in the page as it stands, by rule, with the elements.
 *
 * @param rules - those that are asked; all if missing
 */
export async function objections(page: Page, rules?: readonly string[]): Promise<string[]> {
  // While a color fades into another one, its contrast is not what it will be.
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

/** The schemes differ in nothing but colors: what is asked of the dark one, where the light one was asked for all. */
export const rulesIn = { light: undefined, dark: ["color-contrast"] } as const;

/** What is wrong with a view in light and in dark: widths at which the page scrolls sideways, and what axe objects to. */
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
    found.push(...(await objections(page, rulesIn[colorScheme])));
  }
  return found.map((each) => `${view}: ${each}`);
}
