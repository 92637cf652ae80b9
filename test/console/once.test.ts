import { expect } from "chai";
import type { Page } from "playwright-core";
import { addOrder, openShop } from "../orders/shop.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread } from "../support/world.ts";
import { setStage, wide } from "./stage.ts";

const admin = 101;

/** The service handles the next request to this path, but its answer does not arrive. */
const loseAnswer = async (page: Page, path: string): Promise<void> => {
  await page.route(
    path,
    async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    },
    { times: 1 },
  );
};

describe("the console after an answer that did not arrive", () => {
  const stage = setStage({
    viewport: wide,
    businesses: [aBusiness(1, { threads: [aThread(101)] }), aBusiness(2)],
    fill: (world) => openShop(world, 1),
  });

  const contactOf = async (phone: string): Promise<Page> => {
    const { json } = await stage.world.post("/contacts", { nombre: `Una Vez ${phone}`, numero: phone });
    return stage.seat(admin, `contacts/${json.id}`);
  };
  const fillTemplate = async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: "Enviar plantilla" }).click();
    await page.getByRole("combobox", { name: "Plantilla" }).click();
    await page.getByRole("option", { name: "Plantilla 101", exact: true }).click();
    await page.getByLabel("Valor de 1").fill("Una");
    await page.getByLabel("Valor de 2").fill("P-1");
  };
  const sendButton = (page: Page) => page.getByRole("button", { name: "Enviar", exact: true });
  const sentTo = (phone: string) => stage.world.control("GET", `/messages?to=${phone}`);

  it("does not send a template a second time", async () => {
    const phone = "59171140001";
    const page = await contactOf(phone);
    await fillTemplate(page);
    await loseAnswer(page, "**/chats/enviar/plantilla/business");
    await sendButton(page).click();
    await page.getByText("No hay conexión con el servicio").waitFor();
    await sendButton(page).click();
    await page.waitForURL(/\/inbox\/\d+/);
    expect(await sentTo(phone)).to.have.length(1);
  });

  it("does not send a template a second time if the user closes the dialog and opens it again", async () => {
    const phone = "59171140002";
    const page = await contactOf(phone);
    await fillTemplate(page);
    await loseAnswer(page, "**/chats/enviar/plantilla/business");
    await sendButton(page).click();
    await page.getByText("No hay conexión con el servicio").waitFor();
    await page.getByRole("button", { name: "Cancelar" }).click();
    await fillTemplate(page);
    await sendButton(page).click();
    await page.waitForURL(/\/inbox\/\d+/);
    expect(await sentTo(phone)).to.have.length(1);
  });

  it("does not send later what the user tried without a connection", async () => {
    const phone = "59171140003";
    const page = await contactOf(phone);
    await fillTemplate(page);
    await page.context().setOffline(true);
    await sendButton(page).click();
    await page.getByText("No hay conexión con el servicio").waitFor();
    await page.getByRole("button", { name: "Cancelar" }).click();
    await page.context().setOffline(false);
    await fillTemplate(page);
    await sendButton(page).click();
    await page.waitForURL(/\/inbox\/\d+/);
    expect(await sentTo(phone)).to.have.length(1);
  });

  it("does not add a line a second time, and says so if the user has changed the line meanwhile", async () => {
    const id = await addOrder(stage.world, 1, { shipment_method: "pickup" });
    const page = await stage.seat(admin, `orders/${id}`);
    const panel = page.getByRole("dialog");
    const add = panel.getByRole("button", { name: "Añadir", exact: true });
    const pick = async (): Promise<void> => {
      await panel.getByRole("button", { name: "Añadir producto" }).click();
      await panel.getByRole("combobox", { name: "Producto", exact: true }).fill("Salt");
      await page.getByRole("option", { name: /Salteña/ }).click();
    };
    const quantities = async (): Promise<number[]> => {
      const { json } = await stage.world.get(`/catalogs/order/${id}`);
      return json.data.details.map(({ quantity }: { quantity: number }) => quantity);
    };
    await pick();
    await loseAnswer(page, "**/catalogs/orders/products/new");
    await add.click();
    await panel.getByText("No se pudo guardar").waitFor();
    await add.click();
    await add.waitFor({ state: "hidden" });
    expect(await quantities()).to.deep.equal([1]);

    await pick();
    await loseAnswer(page, "**/catalogs/orders/products/new");
    await add.click();
    await panel.getByText("No se pudo guardar").waitFor();
    await panel.getByLabel("Cantidad").fill("7");
    await add.click();
    await panel.getByText("Puede que ya se haya hecho.").waitFor();
    expect(await quantities()).to.deep.equal([1, 1]);
    await add.click();
    await add.waitFor({ state: "hidden" });
    expect(await quantities()).to.deep.equal([1, 1, 7]);
  });

  it("does not say that an order was not moved if it was", async () => {
    const id = await addOrder(stage.world, 1);
    const page = await stage.seat(admin, "orders");
    const mover = page.getByRole("button", { name: `Mover el pedido ${id}`, exact: true });
    await mover.waitFor();
    await loseAnswer(page, "**/status");
    await mover.click();
    // The page requests the counts only after it knows whether the order was moved.
    const counted = page.waitForResponse(/\/counts/);
    await page.getByRole("menuitem", { name: "En proceso" }).click();
    await counted;
    expect(await page.getByText(`El pedido ${id} no se movió`).count()).to.equal(0);
    expect((await stage.world.get(`/catalogs/order/${id}`)).json.data.status).to.equal(1);
  });

  it("uses another key once the service repeats the refusal of a lost attempt", async () => {
    const page = await stage.seat(admin, "orders/new?chat=101");
    const panel = page.getByRole("dialog");
    const keys: string[] = [];
    await page.route(
      "**/catalogs/orders",
      async (route) => {
        keys.push(route.request().headers()["idempotency-key"] ?? "");
        if (keys.length === 1) return route.abort("connectionreset");
        if (keys.length > 2) return route.continue();
        const headers = { "idempotent-replay": "true" };
        await route.fulfill({ status: 400, headers, json: { error: "Sin stock", code: "refused" } });
      },
      { times: 3 },
    );
    await panel.getByRole("combobox", { name: "Producto", exact: true }).fill("Api");
    await page.getByRole("option", { name: /Api con pastel/ }).click();
    await panel.getByRole("button", { name: "Añadir", exact: true }).click();
    const create = panel.getByRole("button", { name: "Crear pedido" });
    await create.click();
    await panel.getByText("No hay conexión con el servicio").waitFor();
    await create.click();
    await panel.getByText("Sin stock").waitFor();
    await create.click();
    await page.getByRole("dialog", { name: /^Pedido \d+$/ }).waitFor();
    expect(keys[1]).to.equal(keys[0]);
    expect(keys[2]).not.to.equal(keys[0]);
  });

  it("repeats a failed attempt under its key, and uses a new key once the service repeats the failure", async () => {
    const page = await stage.seat(admin, "orders/new?chat=101");
    const panel = page.getByRole("dialog");
    const keys: string[] = [];
    const failure = { status: 500, json: { error: "Error interno del servidor", code: "unexpected" } };
    await page.route(
      "**/catalogs/orders",
      async (route) => {
        keys.push(route.request().headers()["idempotency-key"] ?? "");
        await route.fulfill(keys.length === 1 ? failure : { ...failure, headers: { "idempotent-replay": "true" } });
      },
      { times: 2 },
    );
    await panel.getByRole("combobox", { name: "Producto", exact: true }).fill("Api");
    await page.getByRole("option", { name: /Api con pastel/ }).click();
    await panel.getByRole("button", { name: "Añadir", exact: true }).click();
    const create = panel.getByRole("button", { name: "Crear pedido" });
    await create.click();
    await panel.getByText("Error interno del servidor").waitFor();
    expect(await panel.getByText("Puede que ya se haya hecho.").count()).to.equal(0);
    await create.click();
    await panel.getByText("Puede que ya se haya hecho.").waitFor();
    expect(keys[1]).to.equal(keys[0]);
    await create.click();
    await page.getByRole("dialog", { name: /^Pedido \d+$/ }).waitFor();
  });

  it("does not take the late answer to a closed form for the answer to the next form", async () => {
    const page = await stage.seat(admin, "orders/new");
    const panel = page.getByRole("dialog", { name: "Nuevo pedido" });
    const create = panel.getByRole("button", { name: "Crear pedido" });
    const fill = async (): Promise<void> => {
      await panel.getByRole("combobox", { name: "Producto", exact: true }).fill("Api");
      await page.getByRole("option", { name: /Api con pastel/ }).click();
      await panel.getByRole("button", { name: "Añadir", exact: true }).click();
    };
    const keys: string[] = [];
    let isAnswered = false;
    await page.route("**/catalogs/orders", async (route) => {
      const place = keys.push(route.request().headers()["idempotency-key"] ?? "");
      if (place > 2) return route.continue();
      const response = await route.fetch();
      if (place === 1) {
        await eventually(() => keys.length === 2);
        await route.fulfill({ response });
        // Gives the page time to handle the answer.
        await page.waitForTimeout(200);
        isAnswered = true;
      } else {
        await eventually(() => isAnswered);
        await route.abort("connectionreset");
      }
    });
    await fill();
    await create.click();
    await eventually(() => keys.length === 1);
    expect(await panel.locator("[inert]", { hasText: "Añadir producto" }).count()).to.equal(1);
    await panel.getByRole("button", { name: "Cerrar panel" }).click();
    await page.getByRole("button", { name: "Descartar" }).click();
    await page.getByRole("link", { name: "Nuevo pedido" }).click();
    await fill();
    await create.click();
    await panel.getByText("No hay conexión con el servicio").waitFor();
    await create.click();
    await page.getByRole("dialog", { name: /^Pedido \d+$/ }).waitFor();
    expect(keys[1]).not.to.equal(keys[0]);
    expect(keys[2]).to.equal(keys[1]);
  });
});
