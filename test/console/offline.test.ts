import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../support/wait.ts";
import { aThread } from "../support/world.ts";
import { cuttableProxy } from "./browser.ts";
import { admin, composer, setThreadStage, thread } from "./thread-bench.ts";

describe("the console without a connection", () => {
  const threads = [101, 102].map((id) => aThread(id, { name: `Cliente ${id}`, state: "pending" }));
  const { stage, seat } = setThreadStage(threads);
  let proxy: Awaited<ReturnType<typeof cuttableProxy>>;
  beforeEach(async () => {
    proxy = await cuttableProxy(stage.world.api);
  });
  afterEach(() => proxy.close());

  const emojiSearch = (page: Page) => page.getByRole("searchbox", { name: "Buscar emoji" });
  const openEmoji = (page: Page) => page.getByRole("button", { name: "Emoji" }).click();
  /** Opens a chat, and cuts the connection before the page preloads what the user may need later. */
  async function openedAndCut(): Promise<Page> {
    const page = await seat(admin, "inbox/101", proxy.url);
    await composer(page).waitFor();
    proxy.cut();
    await page.getByText("Sin conexión. Reconectando").waitFor();
    await page.evaluate("document.documentElement.dataset.same = 'true'");
    return page;
  }
  const isSamePage = (page: Page) => page.evaluate("document.documentElement.dataset.same === 'true'");

  it("opens the emoji, even if they were never opened before", async () => {
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

  it("opens a part that it could not load once the connection returns, with its style", async () => {
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

  it("stays as it is if a screen is asked for that it could not load, and shows it once the connection returns", async () => {
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

  it("loads a chat that could not be loaded, once the connection returns", async () => {
    const page = await openedAndCut();
    await page.getByRole("listitem").filter({ hasText: "Cliente 102" }).click();
    await page.getByRole("alert").getByText("No se pudo cargar este chat.").waitFor();
    proxy.restore();
    await thread(page).getByText("Hola", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Cliente 102" }).first().waitFor();
    expect(await page.getByRole("alert").count()).to.equal(0);
  });
});
