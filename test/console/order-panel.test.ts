import { expect } from "chai";
import type { Page } from "playwright-core";
import { addLine, addOrder, openShop } from "../orders/shop.ts";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate } from "../support/world.ts";
import { setStage, wide } from "./stage.ts";

const [admin, agent] = [101, 102];

const column = (page: Page, name: string) => page.getByRole("list", { name, exact: true });
const cardIn = (page: Page, name: string, id: number) =>
  column(page, name)
    .getByRole("listitem")
    .filter({ hasText: `#${id} ` });
const panelOf = (page: Page) => page.getByRole("dialog");

describe("the console's panel of an order", () => {
  const stage = setStage({
    viewport: wide,
    businesses: [aBusiness(1, { templates: [aTemplate(101), aTemplate(102, { status: "PENDING" })] }), aBusiness(2)],
    fill: async (world) => {
      for (const id of [1, 2]) await openShop(world, id);
    },
  });
  beforeEach(() => stage.world.rows("truncate orders cascade"));

  const { seat } = stage;
  const put = (path: string, body: object) =>
    request(`${stage.world.api}/catalogs/${path}`, {
      method: "PUT",
      body,
      headers: { "x-api-key": stage.world.appKey(1) },
    });

  it("adds an extra with its own price, and every browser shows the new total", async () => {
    const id = await addOrder(stage.world, 1, { shipment_method: "pickup" });
    const [one, other] = [await seat(agent, `orders/${id}`), await seat(admin, `orders/${id}`)];
    const panel = panelOf(one);
    await panel.getByRole("button", { name: "Añadir producto" }).click();
    await panel.getByRole("combobox", { name: "Producto", exact: true }).fill("Salt");
    await one.getByRole("option", { name: /Salteña/ }).click();
    await panel.getByLabel("Cantidad").fill("2");
    await panel.getByLabel("Extras").first().click();
    await one.getByRole("option", { name: /Queso/ }).click();
    await one.keyboard.press("Escape");
    const price = panel.getByLabel("Precio de Queso");
    await price.pressSequentially("1,50");
    expect(await price.inputValue()).to.equal("1,50");
    await panel.getByRole("button", { name: "Añadir", exact: true }).click();
    // 2 × (8.10 + 1.50)
    for (const page of [one, other]) {
      await panelOf(page)
        .getByText(/\+ Queso 1,50/)
        .waitFor();
      await eventually(
        async () =>
          (await panelOf(page)
            .getByText(/^19,20/)
            .count()) === 2,
      );
    }
  });

  it("shows the price of each line with its extras", async () => {
    const id = await addOrder(stage.world, 1, { shipment_method: "pickup" });
    await addLine(stage.world, 1, id, { quantity: 3, extras: [101, 102] });
    const page = await seat(agent, `orders/${id}`);
    // 3 × (8.10 + 0.10 + 3.20)
    await panelOf(page)
      .getByRole("listitem")
      .filter({ hasText: "34,20" })
      .getByText(/8,10.*c\/u/)
      .waitFor();
  });

  it("shows the current state of an order that another user moved first", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await seat(agent, "orders");
    await cardIn(page, "Pendientes", id).waitFor();
    let moved = 0;
    await page.route("**/status", async (route) => {
      moved = (await put(`order/${id}/status`, { status: "cancelled", reason: "Se agotó" })).status;
      await route.continue();
    });
    await page.getByRole("button", { name: `Mover el pedido ${id}`, exact: true }).click();
    await page.getByRole("menuitem", { name: "En proceso" }).click();
    await page.getByText("Mientras tanto pasó a «Cancelado».").waitFor();
    await cardIn(page, "Cancelados", id).waitFor();
    expect(moved).to.equal(200);
    expect(await page.getByRole("article").count()).to.equal(1);
  });

  it("keeps what is typed while a save runs, and forgets a failure after a later success", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await seat(agent, `orders/${id}`);
    const panel = panelOf(page);
    await page.route("**/driver", (route) => route.fulfill({ status: 500, json: {} }));
    await panel.getByRole("combobox", { name: "Repartidor" }).click();
    await page.getByRole("option", { name: "Raúl Rider" }).click();
    await panel.getByText("No se pudo guardar.").waitFor();
    await page.route("**/catalogs/order/update", async (route) => {
      await panel.getByLabel("Lugar").fill("Plaza");
      await panel.getByLabel("Dirección").fill("Calle 21, casa verde");
      await route.continue();
    });
    await panel.getByLabel("Dirección").fill("Calle 21");
    await panel.getByRole("button", { name: "Guardar" }).click();
    await panel.getByText("Dirección: — → Calle 21").waitFor();
    expect(await panel.getByLabel("Lugar").inputValue()).to.equal("Plaza");
    expect(await panel.getByLabel("Dirección").inputValue()).to.equal("Calle 21, casa verde");
    expect(await panel.getByText("No se pudo guardar.").count()).to.equal(0);
    await page.unroute("**/catalogs/order/update");
    await panel.getByRole("button", { name: "Guardar" }).click();
    await panel.getByText("Lugar: — → Plaza").waitFor();
    await panel.getByRole("button", { name: "Guardar" }).waitFor({ state: "detached" });
  });

  it("offers only approved templates for the payment link", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await seat(agent, `orders/${id}`);
    await panelOf(page).getByRole("button", { name: "Enviar con plantilla" }).click();
    await panelOf(page).getByRole("combobox", { name: "Plantilla" }).click();
    await page.getByRole("option", { name: "Plantilla 101" }).waitFor();
    expect(await page.getByRole("option").allInnerTexts()).to.deep.equal(["Plantilla 101"]);
  });

  it("shows in its history who changed what, in the terms of the screen", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await seat(admin, `orders/${id}`);
    const panel = panelOf(page);
    await panel.getByLabel("Dirección").fill("Calle 21");
    await panel.getByRole("button", { name: "Guardar" }).click();
    await panel.getByText("Dirección: — → Calle 21").waitFor();
    await panel.getByText(/Ada Admin ·/).waitFor();
    await put(`order/${id}/driver`, { driverId: 101 });
    await panel.getByText("Repartidor: — → Raúl Rider").waitFor();
  });

  it("moves an order by one step after a double click", async () => {
    const id = await addOrder(stage.world, 1, { shipment_method: "pickup" });
    const page = await seat(admin, `orders/${id}`);
    await panelOf(page).getByRole("button", { name: "Poner en proceso" }).dblclick({ delay: 50 });
    await panelOf(page).getByRole("button", { name: "Completar" }).waitFor();
    expect((await stage.world.get(`/catalogs/order/${id}`)).json.data.status).to.equal(1);
    expect(await page.getByText(`El pedido ${id} no se movió`).count()).to.equal(0);
  });

  it("says that the history could not be loaded, and loads it on demand", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await seat(admin, "orders");
    await page.route("**/history?*", (route) => route.fulfill({ status: 403, json: {} }), { times: 1 });
    await page.getByRole("link", { name: new RegExp(`^Pedido ${id} `) }).click();
    const panel = panelOf(page);
    await panel.getByRole("alert").getByText("No se pudo cargar.").waitFor();
    expect(await panel.getByText("Todavía no hay cambios.").count()).to.equal(0);
    await panel.getByRole("button", { name: "Intentar de nuevo" }).click();
    await panel.getByText("Todavía no hay cambios.").waitFor();
  });

  it("counts the 200 orders of a column, loads them during scrolling, and keeps the page small", async () => {
    await stage.world.rows(
      `insert into orders (business_id, status, type, branch_id, chat_id, created_at)
       select 1, 8, 'wa', 101, 101, timestamptz '2026-01-02 03:04:05Z' + n * interval '1 minute'
       from generate_series(1, 200) as n`,
    );
    const page = await seat(agent, "orders");
    const oldest = await stage.world.rows<{ id: string }>("select id from orders order by created_at limit 1");
    await page.getByRole("heading", { name: /^Pendientes ?200$/ }).waitFor();
    const pending = column(page, "Pendientes");
    await pending.getByRole("listitem").first().waitFor();
    await pending.hover();
    await eventually(async () => {
      await page.mouse.wheel(0, 20_000);
      return (await cardIn(page, "Pendientes", Number(oldest[0]?.id)).count()) === 1;
    }, 60_000);
    expect(await pending.getByRole("listitem").count()).to.be.below(40);
  });

  it("hides an administrator's actions from agents", async () => {
    const id = await addOrder(stage.world, 1, { status: 4 });
    const [agents, admins] = [await seat(agent, `orders/${id}`), await seat(admin, `orders/${id}`)];
    await panelOf(admins).getByRole("button", { name: "Volver a pendientes" }).waitFor();
    await panelOf(agents).getByText("Completado", { exact: true }).first().waitFor();
    expect(await panelOf(agents).getByRole("button", { name: "Volver a pendientes" }).count()).to.equal(0);
  });

  it("prints only the ticket, on a roll and on a sheet", async () => {
    const id = await addOrder(stage.world, 1, { shipment_method: "pickup", payment_method: "cash" });
    await addLine(stage.world, 1, id, { quantity: 2 });
    const page = await seat(agent, `orders/${id}`);
    await panelOf(page).getByText("Salteña").waitFor();
    await page.emulateMedia({ media: "print" });
    const widthAt = async (width: number): Promise<number> => {
      await page.setViewportSize({ width, height: 900 });
      return (await page.locator("table").boundingBox())?.width ?? 0;
    };
    const [roll, sheet] = [await widthAt(302), await widthAt(794)];
    expect(roll).to.be.within(200, 302);
    expect(sheet).to.be.within(500, 794);
    expect(await page.evaluate<string>("document.body.innerText"))
      .to.include("16,20")
      .and.not.include("Historial");
    expect(await page.getByText("Forma de pago: Efectivo").isVisible()).to.equal(true);
  });
});
