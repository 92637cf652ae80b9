import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../support/wait.ts";
import { aThread } from "../support/world.ts";
import { cuttableProxy } from "./browser.ts";
import { admin, composer, setThreadStage } from "./thread-bench.ts";

describe("the parts of the console that are loaded on demand", () => {
  const { stage, seat } = setThreadStage([aThread(101, { name: "Cliente 1", state: "pending" })]);
  let proxy: Awaited<ReturnType<typeof cuttableProxy>>;
  beforeEach(async () => {
    proxy = await cuttableProxy(stage.world.api);
  });
  afterEach(() => proxy.close());

  const emojiSearch = (page: Page) => page.getByRole("searchbox", { name: "Buscar emoji" });
  const openEmoji = (page: Page) => page.getByRole("button", { name: "Emoji" }).click();
  /** Cuts the connection of a page that has just opened, before it loads anything early. */
  async function openedAndCut(): Promise<Page> {
    const page = await seat(admin, "inbox/101", proxy.url);
    await composer(page).waitFor();
    proxy.cut();
    await page.getByText("Sin conexión. Reconectando").waitFor();
    await page.evaluate("document.documentElement.dataset.same = 'true'");
    return page;
  }
  const isSamePage = (page: Page) => page.evaluate("document.documentElement.dataset.same === 'true'");

  it("open without a connection: emoji that were never opened before", async () => {
    const page = await seat(admin, "inbox/101", proxy.url);
    const data = await page.waitForResponse(/emojibase|compact.*\.json/);
    await data.finished();
    await composer(page).fill("Gracias ");
    proxy.cut();
    await page.getByText("Sin conexión. Reconectando").waitFor();
    await openEmoji(page);
    await emojiSearch(page).fill("corazón rojo");
    await page.getByRole("button", { name: "corazón rojo", exact: true }).click();
    await eventually(async () => (await composer(page).inputValue()) === "Gracias ❤️");
  });

  it("open with their style after the connection returns, if they were opened without it", async () => {
    const page = await openedAndCut();
    const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("emoji-picker"));
    await openEmoji(page);
    await failed;
    proxy.restore();
    await page.getByRole("button", { name: "😀" }).or(emojiSearch(page)).first().waitFor();
    await eventually(
      async () => (await page.getByRole("group", { name: "Elegir un emoji" }).getByRole("button").count()) > 50,
    );
    const display = await emojiSearch(page).evaluate((field) => {
      const { getComputedStyle } = globalThis as never as { getComputedStyle(of: object): { display: string } };
      return getComputedStyle((field as never as { parentElement: object }).parentElement).display;
    });
    expect(display).to.equal("flex");
    expect(await isSamePage(page)).to.equal(true);
  });

  it("do not take the page away if they are asked for without a connection: a screen", async () => {
    const page = await openedAndCut();
    await composer(page).fill("Casi listo");
    const failed = page.waitForEvent("requestfailed", (request) => request.url().includes("orders-screen"));
    await page.getByRole("link", { name: "Pedidos" }).click();
    await failed;
    await page.getByText("Sin conexión. Reconectando").waitFor();
    proxy.restore();
    await page.getByRole("heading", { name: "Pendientes" }).waitFor();
    expect(await isSamePage(page)).to.equal(true);
  });
});
