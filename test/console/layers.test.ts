import { expect } from "chai";
import type { Page } from "playwright-core";
import { addOrder, openShop } from "../orders/shop.ts";
import { aBusiness, aThread } from "../support/world.ts";
import { axeViolations } from "./axe.ts";
import { setStage, wide } from "./stage.ts";

const admin = 101;
/** More customers than a list of choices shows without scrolling. */
const threads = Array.from({ length: 20 }, (_, index) => aThread(101 + index, { name: `Cliente ${index + 1}` }));

const closesOn = (page: Page) => page.keyboard.press("Escape");

describe("the console's menus, lists and calendars", () => {
  const stage = setStage({
    viewport: wide,
    businesses: [aBusiness(1, { threads })],
    fill: async (world) => {
      await openShop(world, 1);
      await addOrder(world, 1);
    },
  });

  const account = (page: Page) => page.getByRole("button", { name: "Cuenta de Ada Admin" });

  const opened: readonly (readonly [what: string, view: string, open: (page: Page) => Promise<void>])[] = [
    [
      "a calendar",
      "reports?from=2026-03-01&to=2026-03-31",
      async (page) => {
        await page.getByRole("textbox", { name: "Desde" }).click();
        await page.getByRole("button", { name: "marzo 2026", exact: true }).waitFor();
      },
    ],
    [
      "the menu of an order",
      "orders",
      async (page) => {
        await page.getByRole("button", { name: /^Mover el pedido/ }).click();
        await page.getByRole("menuitem", { name: "Cancelados" }).waitFor();
      },
    ],
    [
      "a long list of choices",
      "orders/new",
      async (page) => {
        await page.getByRole("combobox", { name: "Cliente" }).click();
        await page.getByRole("option", { name: /Cliente 20/ }).waitFor({ state: "attached" });
      },
    ],
    [
      "the menu of the account",
      "inbox",
      async (page) => {
        await account(page).click();
        await page.getByRole("menuitem", { name: "Salir" }).waitFor();
      },
    ],
  ];
  for (const [what, view, open] of opened)
    it(`pass axe: ${what}, light and dark`, async () => {
      const page = await stage.seat(admin, view);
      await open(page);
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      expect(await axeViolations(page, ["color-contrast"])).to.deep.equal([]);
    });

  it("switch language and color scheme by keyboard", async () => {
    const page = await stage.seat(admin);
    await account(page).press("Enter");
    await page.getByRole("menuitemradio", { name: "Español", checked: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitemradio", { name: "English", checked: true }).waitFor();
    await page.getByRole("link", { name: "Inbox" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("menuitemcheckbox", { name: "Dark mode", checked: true }).waitFor();
    expect(await page.locator("html").getAttribute("data-mantine-color-scheme")).to.equal("dark");
    await closesOn(page);
  });

  it("scroll a list of choices by keyboard, and choose from it", async () => {
    const page = await stage.seat(admin, "orders/new");
    const field = page.getByRole("combobox", { name: "Cliente" });
    await field.click();
    const last = page.getByRole("option").last();
    await last.waitFor({ state: "attached" });
    const name = (await last.textContent()) ?? "";
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    expect(await field.inputValue()).to.equal(name);
  });

  it("write times as the language does, and take them as people write them", async () => {
    const page = await stage.seat(admin, "orders/new");
    await page.getByLabel("Programado para").fill("31/12/2099");
    const time = page.getByLabel("Hora", { exact: true });
    await time.fill("21.30");
    await time.blur();
    expect(await time.inputValue()).to.equal("21:30");
    await time.fill("7");
    await page.keyboard.press("Tab");
    expect(await time.inputValue()).to.equal("07:00");
    await time.fill("las siete");
    await page.keyboard.press("Tab");
    expect(await time.inputValue()).to.equal("07:00");
    await page.evaluate("localStorage.setItem('recado.language', 'en')");
    await page.goto(`${stage.world.api}/console/orders/new`);
    await page.getByLabel("Scheduled for").fill("12/31/2099");
    const english = page.getByLabel("Time", { exact: true });
    await english.fill("9:30 pm");
    await english.blur();
    expect((await english.inputValue()).replaceAll(/\s/g, " ")).to.equal("09:30 PM");
  });
});
