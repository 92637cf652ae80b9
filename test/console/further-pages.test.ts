import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import type { MessageFixture } from "../../src/fixtures/businesses/business.ts";
import { addOrder, openShop } from "../orders/shop.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aThread } from "../support/world.ts";
import { admin, ana, composer, setThreadStage, thread } from "./thread-bench.ts";

const spoken = (index: number): MessageFixture => ({
  direction: "in",
  body: `Mensaje ${index + 1}.`,
  author: "contact",
  authorName: "Hablador",
  state: "received",
  at: new Date(Date.UTC(2026, 0, 2, 4, index)),
});

/** The API needs several pages for these chats, for their contacts, and for the messages of the last chat. */
const threads = [
  ...Array.from({ length: 115 }, (_, index) =>
    aThread(101 + index, { name: `Cliente ${index + 1}`, state: "pending" }),
  ),
  aThread(300, {
    name: "Hablador",
    state: "pending",
    messages: Array.from({ length: 120 }, (_, index) => spoken(index)),
  }),
];

describe("the console while a further page loads", () => {
  const { stage, seat, says, received } = setThreadStage(threads);
  before(() => openShop(stage.world, 1));

  /**
   * Holds the answers to matching requests back until `release` is called. `isAsked` tells whether there was such a
   * request.
   */
  const hold = async (page: Page, matches: (url: URL) => boolean) => {
    let release = (): void => {};
    let count = 0;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(matches, async (route) => {
      const response = await route.fetch();
      count += 1;
      await released;
      await route.fulfill({ response });
    });
    return { isAsked: () => count > 0, release };
  };
  const put = async (path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${await stage.world.sessionToken(admin)}` };
    const { status, text } = await request(`${stage.world.api}${path}`, { method: "PUT", headers, body });
    expect(status, text).to.equal(200);
  };
  const isFurther = (path: string) => (url: URL) => url.pathname === path && url.searchParams.has("cursor");
  const scroll = async (page: Page, within: Locator, by: number, until: () => boolean): Promise<void> => {
    await within.hover();
    await eventually(async () => {
      await page.mouse.wheel(0, by);
      return until();
    });
  };
  const length = async (list: Locator): Promise<number> =>
    Number(await list.getByRole("listitem").first().getAttribute("aria-setsize"));

  it("keeps the messages that arrive and are sent meanwhile", async () => {
    await says(300, "Buenas");
    const page = await seat(ana, "inbox/300");
    await thread(page).getByText("Buenas").waitFor();
    const older = await hold(page, isFurther("/chats/300/messages"));
    await scroll(page, thread(page), -20_000, older.isAsked);
    await says(300, "¿Sigue ahí?");
    await composer(page).fill("Aquí estoy");
    await composer(page).press("Enter");
    await eventually(async () => (await received(300, "Aquí estoy")) === 1);
    const texts = ["¿Sigue ahí?", "Aquí estoy"];
    for (const text of texts) await thread(page).getByText(text).waitFor();
    await thread(page).getByRole("img", { name: "Enviando" }).waitFor({ state: "detached" });
    older.release();
    await page.getByText("Cargando mensajes anteriores…").waitFor({ state: "detached" });
    for (const text of texts) expect(await thread(page).getByText(text).count(), text).to.equal(1);
    expect(await received(300, "Aquí estoy")).to.equal(1);
  });

  it("keeps the news of a chat in the list", async () => {
    const page = await seat(ana);
    const list = page.getByRole("list", { name: "Chats" });
    await list.getByRole("listitem").first().waitFor();
    const further = await hold(page, isFurther("/chats"));
    await scroll(page, list, 2_000, further.isAsked);
    await says(101, "Llegó mientras tanto");
    await page.getByRole("button", { name: /nuev/ }).waitFor();
    const before = await length(list);
    further.release();
    await eventually(async () => (await length(list)) > before);
    await scroll(page, list, -20_000, () => true);
    await page.mouse.move(0, 0);
    await list.getByText("Llegó mientras tanto").waitFor();
  });

  it("keeps the place of a moved order on the board", async () => {
    const ids: number[] = [];
    for (let count = 0; count < 40; count += 1) ids.push(await addOrder(stage.world, 1));
    const moved = ids.at(-1) ?? 0;
    const page = await seat(admin, "orders");
    const column = (name: string) => page.getByRole("list", { name, exact: true });
    const card = (name: string) =>
      column(name)
        .getByRole("listitem")
        .filter({ hasText: `#${moved} ` });
    await card("Pendientes").waitFor();
    const further = await hold(page, (url) => url.searchParams.get("page") === "2");
    await scroll(page, column("Pendientes"), 2_000, further.isAsked);
    await put(`/catalogs/order/${moved}/status`, { status: "progress" });
    await card("En proceso").waitFor();
    further.release();
    await eventually(async () => (await length(column("Pendientes"))) > 24);
    await scroll(page, column("Pendientes"), -20_000, () => true);
    await column("Pendientes")
      .getByRole("listitem")
      .filter({ hasText: `#${ids.at(-2)} ` })
      .waitFor();
    expect(await card("Pendientes").count()).to.equal(0);
    expect(await card("En proceso").count()).to.equal(1);
  });

  it("keeps the new name of a contact", async () => {
    const page = await seat(admin, "contacts");
    const list = page.getByRole("list", { name: "Contactos" });
    await list.getByRole("listitem").first().waitFor();
    const id = Number((await list.getByRole("link").first().getAttribute("href"))?.split("/").at(-1));
    const further = await hold(page, isFurther("/contacts"));
    await scroll(page, list, 5_000, further.isAsked);
    await put(`/contacts/${id}`, { nombre: "Otro nombre" });
    await scroll(page, list, -20_000, () => true);
    await list.getByText("Otro nombre").waitFor();
    further.release();
    await eventually(async () => (await list.getByRole("listitem").first().getAttribute("aria-setsize")) !== "-1");
    expect(await list.getByText("Otro nombre").count()).to.equal(1);
  });

  for (const [what, view, name, matches] of [
    ["chats", "inbox", "Chats", isFurther("/chats")],
    ["orders", "orders", "Pendientes", (url: URL) => url.searchParams.get("page") === "2"],
    ["contacts", "contacts", "Contactos", isFurther("/contacts")],
  ] as const)
    it(`asks for more ${what} once if they are refused, and again at a click`, async () => {
      const page = await seat(admin, view);
      const list = page.getByRole("list", { name, exact: true });
      await list.getByRole("listitem").first().waitFor();
      let asked = 0;
      await page.route(matches, async (route) => {
        asked += 1;
        await route.fulfill({ status: 429, json: { error: "Demasiadas peticiones", code: "too_many_requests" } });
      });
      await scroll(page, list, 4_000, () => asked > 0);
      const again = page.getByRole("button", { name: "Intentar de nuevo" });
      await again.waitFor();
      expect(asked).to.equal(1);
      await again.click();
      await eventually(() => asked === 2);
      await page.unroute(matches);
      await again.click();
      await again.waitFor({ state: "detached" });
      await page.mouse.wheel(0, 2_000);
    });
});
