import { expect } from "chai";
import type { Page } from "playwright-core";
import { addOrder, openShop } from "../orders/shop.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread } from "../support/world.ts";
import { flaws } from "./axe.ts";
import { cuttableProxy } from "./browser.ts";
import { setStage, wide } from "./stage.ts";

const [admin, agent] = [101, 102];
/** Milliseconds to wait for a new connection after a cut. Usually 5 s are enough; a busy machine needs longer. */
const patienceMs = 45_000;

const column = (page: Page, name: string) => page.getByRole("list", { name, exact: true });
const card = (page: Page, name: string, id: number) =>
  column(page, name)
    .getByRole("listitem")
    .filter({ hasText: `#${id} ` });
const mover = (page: Page, id: number) => page.getByRole("button", { name: `Mover el pedido ${id}`, exact: true });

describe("the console's board of orders", () => {
  const stage = setStage({
    viewport: wide,
    businesses: [aBusiness(1, { threads: [aThread(101), aThread(102, { name: "Bruno Baca" })] }), aBusiness(2)],
    fill: async (world) => {
      for (const id of [1, 2]) await openShop(world, id);
    },
  });
  beforeEach(() => stage.world.rows("truncate orders cascade"));

  const seat = (userId: number, view = "orders", at?: string) => stage.seat(userId, view, at);
  const headOf = (page: Page, name: string) => page.getByRole("heading", { name: new RegExp(`^${name} ?\\d*$`) });
  const counts = async (page: Page, name: string, count: number): Promise<void> => {
    await eventually(async () => (await headOf(page, name).textContent()) === `${name}${count}`, patienceMs);
  };

  it("moves an order through all columns in two browsers at the same time", async () => {
    const id = await addOrder(stage.world, 1);
    const [one, other] = [await seat(admin), await seat(agent)];
    await card(other, "Pendientes", id).waitFor();
    for (const [to, page] of [
      ["En proceso", one],
      ["En camino", other],
      ["Completados", one],
    ] as const) {
      await mover(page, id).click();
      await page.getByRole("menuitem", { name: to }).click();
      for (const each of [one, other]) await card(each, to, id).waitFor();
    }
    for (const each of [one, other]) {
      await counts(each, "Completados", 1);
      await counts(each, "Pendientes", 0);
      expect(await each.getByRole("article").count()).to.equal(1);
    }
    expect(await stage.world.rows("select status from orders")).to.deep.equal([{ status: 4 }]);
  });

  it("moves a dragged card, and returns it with a reason if the move is not allowed", async () => {
    const id = await addOrder(stage.world, 1, { shipment_method: "pickup" });
    const page = await seat(admin);
    const dragTo = async (from: string, to: string): Promise<void> => {
      const [start, end] = [await card(page, from, id).boundingBox(), await headOf(page, to).boundingBox()];
      if (!start || !end) throw new Error("it is not shown");
      await page.mouse.move(start.x + 40, start.y + 60);
      await page.mouse.down();
      await page.mouse.move(start.x + 60, start.y + 70);
      await page.mouse.move(end.x + 40, end.y + 80, { steps: 5 });
      await page.mouse.up();
    };
    await card(page, "Pendientes", id).waitFor();
    await dragTo("Pendientes", "En proceso");
    await card(page, "En proceso", id).waitFor();
    await eventually(
      async () => (await stage.world.rows<{ status: number }>("select status from orders"))[0]?.status === 1,
    );
    await dragTo("En proceso", "En camino");
    await page.getByText("Los pedidos para retirar no van en camino.").waitFor();
    await card(page, "En proceso", id).waitFor();
  });

  it("shows a colleague's later move if the answer to the own move comes after it", async () => {
    const id = await addOrder(stage.world, 1);
    const [page, other] = [await seat(agent), await seat(admin)];
    await Promise.all([page, other].map((each) => card(each, "Pendientes", id).waitFor()));
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/status", async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    await mover(page, id).click();
    await page.getByRole("menuitem", { name: "En proceso" }).click();
    await card(other, "En proceso", id).waitFor();
    await mover(other, id).click();
    await other.getByRole("menuitem", { name: "En camino" }).click();
    await card(page, "En camino", id).waitFor();
    await counts(page, "En camino", 1);
    const recounted = page.waitForResponse("**/counts*");
    release();
    await recounted;
    await card(page, "En camino", id).waitFor();
    expect(await column(page, "En proceso").getByRole("listitem").count()).to.equal(0);
  });

  it("returns a card if the service refuses the move", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await seat(agent);
    await card(page, "Pendientes", id).waitFor();
    await page.route("**/status", (route) =>
      route.fulfill({ status: 409, json: { error: "No se puede", code: "wrong_transition" } }),
    );
    await mover(page, id).click();
    await page.getByRole("menuitem", { name: "En proceso" }).click();
    await page.getByText(`El pedido ${id} no se movió`).waitFor();
    await card(page, "Pendientes", id).waitFor();
    expect(await column(page, "En proceso").getByRole("listitem").count()).to.equal(0);
  });

  /** Waits until the menu has the focus. It gets the focus a moment after it shows its items. */
  const menuTakesKeys = async (page: Page, item: string) => {
    await page.getByRole("menuitem", { name: item }).waitFor();
    await page.locator("[role=menu]:focus-within").waitFor();
  };

  it("moves and cancels orders by keyboard, with a reason", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await seat(agent);
    await card(page, "Pendientes", id).waitFor();
    await mover(page, id).focus();
    await page.keyboard.press("Enter");
    await menuTakesKeys(page, "En proceso");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await card(page, "En proceso", id).waitFor();
    await page.locator(":focus").and(mover(page, id)).waitFor();
    await page.keyboard.press("Enter");
    await menuTakesKeys(page, "Cancelados");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Motivo" }).fill("Se agotó");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await card(page, "Cancelados", id).waitFor();
    await eventually(async () => {
      const [row] = await stage.world.rows<{ cancel_reason: string }>("select cancel_reason from orders");
      return row?.cancel_reason === "Se agotó";
    });
  });

  it("shows what happened during an interruption once", async () => {
    const proxy = await cuttableProxy(stage.world.api);
    try {
      const id = await addOrder(stage.world, 1);
      const page = await seat(agent, "orders", proxy.url);
      await card(page, "Pendientes", id).waitFor();
      proxy.cut();
      await page.getByText(/Reconectando/).waitFor({ timeout: patienceMs });
      await stage.world.post("/catalogs/orders", { type: "wa", lines: [{ articleId: 101, quantity: 2, extras: [] }] });
      const key = { "x-api-key": stage.world.appKey(1), "content-type": "application/json" };
      await fetch(`${stage.world.api}/catalogs/order/${id}/status`, {
        method: "PUT",
        headers: key,
        body: JSON.stringify({ status: "progress" }),
      });
      proxy.restore();
      await card(page, "En proceso", id).waitFor({ timeout: patienceMs });
      await column(page, "Pendientes").getByText("2 × Salteña").waitFor();
      expect(await page.getByRole("article").count()).to.equal(2);
      await counts(page, "Pendientes", 1);
    } finally {
      await proxy.close();
    }
  });

  it("changes an order's lines, and every browser shows the new total", async () => {
    const id = await addOrder(stage.world, 1, { shipment_method: "pickup" });
    const [one, other] = [await seat(agent, `orders/${id}`), await seat(admin)];
    const panel = one.getByRole("dialog");
    await panel.getByRole("button", { name: "Añadir producto" }).click();
    await panel.getByRole("combobox", { name: "Producto", exact: true }).fill("Salt");
    await one.getByRole("option", { name: /Salteña/ }).click();
    await panel.getByLabel("Cantidad").fill("3");
    await panel.getByRole("button", { name: "Añadir", exact: true }).click();
    await panel.getByText(/24,30/).first().waitFor();
    await card(other, "Pendientes", id).getByText(/24,30/).waitFor();
    await panel.getByRole("button", { name: "Quitar Salteña" }).click();
    await panel.getByText("Sin productos").waitFor();
    await card(other, "Pendientes", id).getByText(/0,00/).waitFor();
  });

  it("keeps typed text if another user changed the order meanwhile", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await seat(agent, `orders/${id}`);
    const panel = page.getByRole("dialog");
    await panel.getByLabel("Dirección").fill("Calle 21, casa verde");
    await page.route(
      "**/catalogs/order/update",
      (route) => route.fulfill({ status: 412, json: { error: "El pedido cambió", code: "order_moved_on" } }),
      { times: 1 },
    );
    await panel.getByRole("button", { name: "Guardar" }).click();
    await panel.getByText(/Alguien cambió el pedido/).waitFor();
    expect(await panel.getByLabel("Dirección").inputValue()).to.equal("Calle 21, casa verde");
    await panel.getByRole("button", { name: "Guardar" }).click();
    await panel.getByRole("button", { name: "Guardar" }).waitFor({ state: "hidden" });
    const saved = await stage.world.get(`/catalogs/order/${id}`);
    expect(saved.json.data.raw_adress).to.equal("Calle 21, casa verde");
  });

  it("creates an order from a chat once", async () => {
    const page = await seat(admin, "orders/new?chat=102");
    const panel = page.getByRole("dialog");
    await panel.getByText(/Bruno Baca/).waitFor();
    await panel.getByRole("combobox", { name: "Producto", exact: true }).fill("Api");
    await page.getByRole("option", { name: /Api con pastel/ }).click();
    await panel.getByRole("button", { name: "Añadir", exact: true }).click();
    await panel.getByRole("button", { name: "Crear pedido" }).dblclick();
    await page.getByRole("dialog", { name: /^Pedido \d+$/ }).waitFor();
    await column(page, "Pendientes").getByText("Bruno Baca").waitFor();
    expect(await stage.world.rows("select chat_id from orders")).to.deep.equal([{ chat_id: 102 }]);
  });

  it("still offers the other chats after one was chosen for a new order", async () => {
    const page = await seat(admin, "orders/new");
    const customer = page.getByRole("combobox", { name: "Cliente" });
    await customer.fill("Bruno");
    await page.getByRole("option", { name: /Bruno Baca/ }).click();
    await page.getByRole("combobox", { name: "Producto", exact: true }).click();
    await page.keyboard.press("Escape");
    await customer.click();
    await page.getByRole("option", { name: /Bruno Baca/ }).waitFor();
    await eventually(async () => (await page.getByRole("option").count()) > 1);
  });

  it("shows found orders in their present state, all of them, and says when the search failed", async () => {
    await stage.world.rows(
      `insert into orders (business_id, status, type, branch_id, chat_id, created_at)
       select 1, 8, 'wa', 101, 102, timestamptz '2026-01-02 03:04:05Z' + n * interval '1 minute'
       from generate_series(1, 40) as n`,
    );
    const id = await addOrder(stage.world, 1, { chat_id: 102 });
    const other = await addOrder(stage.world, 1, { chat_id: 102 });
    const headers = { "x-api-key": stage.world.appKey(1) };
    const moveOther = (status: string) =>
      request(`${stage.world.api}/catalogs/order/${other}/status`, { method: "PUT", body: { status }, headers });
    const page = await seat(agent);
    await card(page, "Pendientes", id).waitFor();
    let fails = true;
    await page.route("**/search?*", (route) => (fails ? route.fulfill({ status: 403, json: {} }) : route.continue()));
    await page.getByRole("searchbox").fill("Bruno");
    await page.getByRole("alert").getByText("No se pudo cargar.").waitFor();
    expect(await page.getByText(/Ningún pedido coincide/).count()).to.equal(0);
    fails = false;
    await page.getByRole("button", { name: "Intentar de nuevo" }).click();
    await page.getByText("42 pedidos").waitFor();
    const found = column(page, "Pedidos encontrados");
    await page.getByRole("button", { name: "Ver más" }).click();
    await eventually(async () => (await found.getByRole("listitem").count()) === 42);

    await mover(page, id).click();
    await page.getByRole("menuitem", { name: "En proceso" }).click();
    await card(page, "Pedidos encontrados", id).getByText("En proceso").waitFor();
    await mover(page, id).click();
    await page.getByRole("menuitem", { name: "En camino" }).waitFor();
    await page.keyboard.press("Escape");
    await moveOther("progress");
    await card(page, "Pedidos encontrados", other).getByText("En proceso").waitFor();
    // `addOrder` sends no event. The event of `moveOther` makes the page search again and find the new order.
    await addOrder(stage.world, 1, { chat_id: 102 });
    await moveOther("on-the-way");
    await page.getByText("43 pedidos").waitFor();
  });

  it("does not show another business's orders", async () => {
    const foreign = await addOrder(stage.world, 2);
    const page = await seat(admin, `orders/${foreign}`);
    await page.getByText("Este pedido no existe o no lo puedes ver.").waitFor();
    await counts(page, "Pendientes", 0);
    expect(await page.getByRole("article").count()).to.equal(0);
  });

  it("passes axe and fits every width, light and dark", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await seat(admin);
    for (const view of ["orders", `orders/${id}`, "orders/new?chat=101"]) {
      await page.goto(`${stage.world.api}/console/${view}`);
      if (view === "orders") await card(page, "Pendientes", id).waitFor();
      else await page.getByRole("heading", { name: "Productos" }).waitFor();
      expect(await flaws(page, view, [1440, 360])).to.deep.equal([]);
    }
  });
});
