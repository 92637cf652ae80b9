import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { request } from "../support/http.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { objections } from "./axe.ts";
import { buildConsole, demandBrowser, launch, type Seat, seatOf } from "./browser.ts";

const [admin, otherAdmin] = [101, 201];

/** What one types for a new record of each resource, and what the list then shows of it. */
const samples = [
  { place: "tags", add: "Nueva etiqueta", typed: { Nombre: "Mayorista" }, shown: "Mayorista" },
  {
    place: "quick-replies",
    add: "Nueva respuesta rápida",
    typed: { Nombre: "Saludo", Texto: "¡Hola!" },
    shown: "¡Hola!",
  },
  { place: "branches", add: "Nueva sucursal", typed: { Nombre: "Sur" }, shown: "Sur" },
  { place: "zones", add: "Nueva zona", typed: { Nombre: "Centro", "Precio de entrega": "12,50" }, shown: /12[.,]50/ },
  {
    place: "articles",
    add: "Nuevo artículo",
    typed: { Nombre: "Api", Precio: "7.10", Código: "API-1" },
    shown: "API-1",
  },
  { place: "extras", add: "Nuevo extra", typed: { Nombre: "Llajua", Recargo: "1" }, shown: "Todos los artículos" },
  {
    place: "drivers",
    add: "Nuevo repartidor",
    typed: { Nombre: "Rosa", Teléfono: "+59170000001" },
    shown: "+59170000001",
  },
] as const;

describe("the console's catalog and lists", function () {
  this.timeout(90_000);
  let world: World;
  let browser: Browser;
  const seats: Seat[] = [];

  before(async function () {
    demandBrowser(this);
    buildConsole();
    world = await startWorld({ businesses: [aBusiness(1), aBusiness(2)] });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await world?.stop();
  });
  afterEach(async () => {
    for (const { context } of seats.splice(0)) await context.close();
  });

  const seat = async (view: string, user = admin): Promise<Page> => {
    const opened = await seatOf(browser, world, user, view);
    seats.push(opened);
    return opened.page;
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const rowOf = (page: Page, text: string | RegExp) =>
    page.getByRole("main").getByRole("listitem").filter({ hasText: text });
  const asAdmin = async (path: string, method = "GET", body?: object, headers: Record<string, string> = {}) =>
    request(`${world.api}${path}`, {
      method,
      headers: { authorization: `Bearer ${await world.sessionToken(admin)}`, ...headers },
      ...(body && { body }),
    });

  it("makes, shows, changes and removes a record of every resource", async () => {
    const page = await seat("settings/tags");
    for (const { place, add, typed, shown } of samples) {
      await page.goto(`${world.api}/console/settings/${place}`);
      await button(page, add).click();
      const panel = page.getByRole("dialog");
      for (const [label, text] of Object.entries(typed)) {
        await panel.getByRole("textbox", { name: new RegExp(`^${label}`) }).fill(text);
      }
      await button(page, "Guardar").click();
      await panel.waitFor({ state: "detached" });
      await rowOf(page, shown).getByRole("button", { name: typed.Nombre, exact: true }).click();
      await panel.getByRole("textbox", { name: /^Nombre/ }).fill(`${typed.Nombre} 2`);
      await button(page, "Guardar").click();
      await panel.waitFor({ state: "detached" });
      await button(page, `${typed.Nombre} 2`).click();
      await button(page, `Eliminar: ${typed.Nombre} 2`).click();
      await page.getByRole("dialog").last().getByRole("button", { name: "Eliminar", exact: true }).click();
      await button(page, `${typed.Nombre} 2`).waitFor({ state: "detached" });
    }
  });

  it("joins what two people changed in one article, and keeps the price exact", async () => {
    const { json: article } = await asAdmin("/admin/articles", "POST", { name: "Sopa", price: "0.10" });
    const page = await seat(`settings/articles?record=${article.id}`);
    const price = page.getByRole("textbox", { name: /^Precio/ });
    await price.fill("999999999999,99");
    await asAdmin(`/admin/articles/${article.id}`, "PUT", { ...article, name: "Sopa de maní" });
    await button(page, "Guardar").click();
    await page.getByText("Sus cambios y los tuyos están juntos").waitFor();
    await button(page, "Guardar").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { json: now } = await asAdmin(`/admin/articles/${article.id}`);
    expect([now.name, now.price]).to.deep.equal(["Sopa de maní", "999999999999.99"]);
    await price.waitFor({ state: "detached" });
    await rowOf(page, "Sopa de maní").getByRole("button").click();
    await price.fill("1,234");
    await page.getByText("Escribe un monto").waitFor();
    expect(await button(page, "Guardar").isDisabled()).to.equal(true);
  });

  it("keeps a type that it does not know, and asks before typed text is lost", async () => {
    const given = { name: "Combo", price: "30", type: "promo" };
    const { json: article } = await asAdmin("/admin/articles", "POST", given);
    const page = await seat(`settings/articles?record=${article.id}`);
    const coupon = page.getByRole("switch", { name: "Envío gratis" });
    await coupon.click();
    await coupon.click();
    await page.getByRole("textbox", { name: /^Nombre/ }).fill("Combo grande");
    await page.keyboard.press("Escape");
    await page.getByText("¿Descartar los cambios?").waitFor();
    await button(page, "Seguir editando").click();
    await button(page, "Guardar").click();
    await rowOf(page, "Combo grande").waitFor();
    expect((await asAdmin(`/admin/articles/${article.id}`)).json).to.include({ name: "Combo grande", type: "promo" });
  });

  it("says at the form what the service refuses", async () => {
    await asAdmin("/admin/branches", "POST", { nombre: "Norte" }).then(({ json: branch }) =>
      asAdmin("/admin/zones", "POST", { nombre: "Lejos", precio: "20", sucursal_id: branch.id }),
    );
    const page = await seat("settings/branches");
    await rowOf(page, "Norte").getByRole("button").click();
    await button(page, "Eliminar: Norte").click();
    await page.getByRole("dialog").last().getByRole("button", { name: "Eliminar", exact: true }).click();
    await page.getByRole("alert").getByText("zonas: 1").waitFor();
    await asAdmin("/admin/tags", "POST", { nombre: "Única" });
    await page.goto(`${world.api}/console/settings/tags?record=new`);
    const name = page.getByRole("textbox", { name: /^Nombre/ });
    await name.fill("Única");
    await button(page, "Guardar").click();
    await page.getByText("Ya existe otro con ese valor.").waitFor();
    expect(await name.getAttribute("aria-invalid")).to.equal("true");
  });

  it("takes a file in, counts its rows, gives the refused ones back, and searches", async () => {
    const page = await seat("settings/articles");
    await button(page, "Importar").click();
    const csv = "name,price,retailer_id\nPique,45.50,P-1\nSilpancho,30,S-1\nSin precio,gratis,X-1\n";
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "carta.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await page.getByText("Creados: 2").waitFor();
    await page.getByText("Rechazados: 1").waitFor();
    const link = page.getByRole("link", { name: "Descargar las filas rechazadas con su motivo" });
    const refused = await page.request.get(new URL((await link.getAttribute("href")) ?? "", world.api).href);
    expect(await refused.text())
      .to.match(/Sin precio/)
      .and.not.match(/Pique/);
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").fill("silp");
    await rowOf(page, "Pique").waitFor({ state: "detached" });
    expect(await rowOf(page, "Silpancho").count()).to.equal(1);
    expect(new URL(page.url()).search).to.equal("?q=silp");
    const [saved] = await Promise.all([page.waitForEvent("download"), button(page, "Exportar").click()]);
    expect(saved.suggestedFilename()).to.equal("articles.csv");
  });

  it("shows another business nothing of it", async () => {
    const { json: tag } = await asAdmin("/admin/tags", "POST", { nombre: "Solo del primero" });
    const page = await seat(`settings/tags?record=${tag.id}`, otherAdmin);
    await page.getByRole("dialog").getByRole("alert").waitFor();
    expect(await page.getByText("Solo del primero").count()).to.equal(0);
  });

  it("has nothing that axe objects to and fits every width, light and dark", async () => {
    await asAdmin("/admin/quick-replies", "POST", { nombre: "Horario", texto: "Abrimos a las 9. ".repeat(30) });
    const page = await seat("settings/quick-replies");
    const found: string[] = [];
    const views = [
      { view: "settings/quick-replies?record=new", width: 1440, colorScheme: "light" },
      { view: "settings/extras?record=new", width: 768, colorScheme: "dark" },
      { view: "settings/quick-replies", width: 360, colorScheme: "light" },
      { view: "settings/ad-accounts?record=new", width: 360, colorScheme: "dark" },
    ] as const;
    for (const { view, width, colorScheme } of views) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(`${world.api}/console/${view}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      if (view.includes("record")) await button(page, "Guardar").waitFor();
      else await rowOf(page, "Horario").waitFor();
      found.push(...(await objections(page)).map((each) => `${view} ${width}: ${each}`));
      const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (overflow > 0) found.push(`${view} scrolls`);
    }
    expect(found).to.deep.equal([]);
  });
});
