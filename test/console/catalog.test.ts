import { expect } from "chai";
import type { Page } from "playwright-core";
import { png } from "../messaging/media-files.ts";
import { request } from "../support/http.ts";
import { aBusiness } from "../support/world.ts";
import { flaws } from "./axe.ts";
import { setStage } from "./stage.ts";

const [admin, agent, otherAdmin] = [101, 102, 201];

/** For each resource: what the test types into the form of a new record, and what the list then shows. */
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

describe("the console's catalog and settings lists", () => {
  const stage = setStage({ businesses: [aBusiness(1), aBusiness(2)], keepsMedia: true });

  const seat = (view: string, user = admin) => stage.seat(user, view);
  const goTo = (page: Page, view: string) => page.goto(`${stage.world.api}/console/${view}`);
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const rowOf = (page: Page, text: string | RegExp) =>
    page.getByRole("main").getByRole("listitem").filter({ hasText: text });
  const asAdmin = async (path: string, method = "GET", body?: object, headers: Record<string, string> = {}) =>
    request(`${stage.world.api}${path}`, {
      method,
      headers: { authorization: `Bearer ${await stage.world.sessionToken(admin)}`, ...headers },
      ...(body && { body }),
    });

  it("create, show, change and delete a record of every resource", async () => {
    const page = await seat("settings/tags");
    for (const { place, add, typed, shown } of samples) {
      await goTo(page, `settings/${place}`);
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

  it("merge the changes of two people to one article, and keep the price exact", async () => {
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

  it("keep an unknown type, and ask before they discard typed text", async () => {
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

  it("stay open when Escape closes the question above them", async () => {
    const { json: tag } = await asAdmin("/admin/tags", "POST", { nombre: "Se queda" });
    const page = await seat(`settings/tags?record=${tag.id}`);
    await button(page, "Eliminar: Se queda").click();
    const question = page.getByRole("dialog", { name: "Eliminar" });
    await question.waitFor();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    const panel = page.getByRole("dialog", { name: "Se queda" });
    await page.waitForTimeout(300);
    expect(await panel.count()).to.equal(1);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  });

  it("show the service's refusals at their fields", async () => {
    await asAdmin("/admin/branches", "POST", { nombre: "Norte" }).then(({ json: branch }) =>
      asAdmin("/admin/zones", "POST", { nombre: "Lejos", precio: "20", sucursal_id: branch.id }),
    );
    const page = await seat("settings/branches");
    await rowOf(page, "Norte").getByRole("button").click();
    await button(page, "Eliminar: Norte").click();
    await page.getByRole("dialog").last().getByRole("button", { name: "Eliminar", exact: true }).click();
    await page.getByRole("alert").getByText("zonas: 1").waitFor();

    await asAdmin("/admin/articles", "POST", { name: "Uno", price: "1", retailer_id: "U-1" });
    await goTo(page, "settings/articles?record=new");
    await page.getByRole("textbox", { name: /^Nombre/ }).fill("Otro");
    await page.getByRole("textbox", { name: /^Precio/ }).fill("1");
    const code = page.getByRole("textbox", { name: /^Código/ });
    await code.fill("U-1");
    await button(page, "Guardar").click();
    await page.getByText("Ya existe otro con ese valor.").waitFor();
    expect(await code.getAttribute("aria-invalid")).to.equal("true");
    expect(await code.evaluate((element) => element.matches(":focus"))).to.equal(true);
  });

  it("say at its field that a branch was deleted", async () => {
    const { json: branch } = await asAdmin("/admin/branches", "POST", { nombre: "Este" });
    const page = await seat("settings/zones?record=new");
    await page.getByRole("textbox", { name: /^Nombre/ }).fill("Villa");
    await page.getByRole("textbox", { name: /^Precio de entrega/ }).fill("9");
    const choice = page.getByRole("combobox", { name: "Sucursal" });
    await choice.click();
    await page.getByRole("option", { name: "Este", exact: true }).click();
    await asAdmin(`/admin/branches/${branch.id}`, "DELETE");
    await button(page, "Guardar").click();
    await page.getByText("Ya no existe.").waitFor();
    expect(await choice.getAttribute("aria-invalid")).to.equal("true");
  });

  it("assign a zone to a branch, and an extra to articles", async () => {
    const { json: branch } = await asAdmin("/admin/branches", "POST", { nombre: "Oeste" });
    const { json: tea } = await asAdmin("/admin/articles", "POST", { name: "Té", price: "5" });
    const page = await seat("settings/zones?record=new");
    await page.getByRole("textbox", { name: /^Nombre/ }).fill("Ladera");
    await page.getByRole("textbox", { name: /^Precio de entrega/ }).fill("7");
    await page.getByRole("combobox", { name: "Sucursal" }).click();
    await page.getByRole("option", { name: "Oeste", exact: true }).click();
    await button(page, "Guardar").click();
    await rowOf(page, "Ladera").getByText("Oeste").waitFor();
    const zones = (await asAdmin("/admin/zones?q=Ladera")).json.data;
    expect(zones.map((each: { sucursal_id: number }) => each.sucursal_id)).to.deep.equal([branch.id]);

    await goTo(page, "settings/extras?record=new");
    await page.getByRole("textbox", { name: /^Nombre/ }).fill("Limón");
    await page.getByRole("textbox", { name: /^Recargo/ }).fill("0.50");
    await page.getByRole("combobox", { name: "Artículos" }).click();
    await page.getByRole("option", { name: "Té", exact: true }).click();
    await page.keyboard.press("Tab");
    await button(page, "Guardar").click();
    await rowOf(page, "Limón").getByText("1 artículo").waitFor();
    expect((await asAdmin("/admin/extras?q=Lim")).json.data[0])
      .to.include({ charge: "0.50" })
      .and.deep.include({
        articulos: [tea.id],
      });
  });

  it("preview a quick reply as a contact reads it, and keep its picture", async () => {
    const page = await seat("settings/quick-replies?record=new");
    const panel = page.getByRole("dialog");
    await panel.getByRole("textbox", { name: /^Nombre/ }).fill("Carta");
    await panel.getByRole("textbox", { name: /^Texto/ }).fill("Hola ");
    await button(page, "Nombre del contacto").click();
    await page.keyboard.type(", soy {{agente.nombre}} {{nada}}.");
    await panel.getByRole("figure").getByText("Hola Ana Quispe, soy Ada Admin .").waitFor();
    await panel.locator("input[type=file]").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: png() });
    await panel.getByRole("img", { name: "Vista previa de Archivo" }).waitFor();
    // The page must empty the field. Otherwise choosing the same file again, after a correction, would cause no event.
    expect(await panel.locator("input[type=file]").inputValue()).to.equal("");
    await button(page, "Guardar").click();
    await rowOf(page, "Carta").getByText("Con archivo").waitFor();
    const [stored] = (await asAdmin("/admin/quick-replies?q=Carta")).json.data;
    expect(stored.texto).to.equal("Hola {{contacto.nombre}}, soy {{agente.nombre}} {{nada}}.");
    expect(stored.media_url).to.match(/^https:\/\/media\.test\/media\/.+\.png$/);
    await rowOf(page, "Carta").getByRole("button").click();
    await panel.getByRole("button", { name: "Quitar", exact: true }).click();
    await button(page, "Guardar").click();
    await panel.waitFor({ state: "detached" });
    expect((await asAdmin(`/admin/quick-replies/${stored.id}`)).json.media_url).to.equal(null);
  });

  it("load further records at a click", async () => {
    const names = Array.from({ length: 55 }, (_, n) => `Etiqueta ${String(n).padStart(2, "0")}`);
    const csv = ["nombre", ...names].join("\n");
    const page = await seat("settings/tags");
    await button(page, "Importar").click();
    const file = { name: "etiquetas.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByText("Creados: 55").waitFor();
    // The search is in the URL. If the test typed the search, the click below might still hit the unfiltered list.
    const found = await seat("settings/tags?q=Etiqueta");
    const tags = found.getByRole("button", { name: /^Etiqueta \d\d$/ });
    await tags.nth(49).waitFor();
    expect(await tags.count()).to.equal(50);
    await button(found, "Ver más").click();
    await tags.nth(54).waitFor();
  });

  it("store the access token of ads, and show it nowhere", async () => {
    for (const { id } of (await asAdmin("/admin/ad-accounts")).json.data)
      await asAdmin(`/admin/ad-accounts/${id}`, "DELETE");
    const page = await seat("settings/ad-accounts?record=new");
    await page.getByLabel(/^Token de acceso/).fill("ads-token-1");
    await page.getByRole("textbox", { name: /^Cuenta principal/ }).fill("act_1");
    await button(page, "Guardar").click();
    await rowOf(page, "act_1").getByRole("button").click();
    const token = page.getByLabel(/^Token de acceso/);
    expect(await token.inputValue()).to.equal("");
    await token.fill("wrong");
    await button(page, "Guardar").click();
    await page.getByText("No es válido.").waitFor();
    expect(await token.getAttribute("aria-invalid")).to.equal("true");
  });

  it("are not available to agents", async () => {
    const page = await seat("settings/articles", agent);
    await page.getByText("Esta pantalla es para administradores.").waitFor();
  });

  it("import a file, count its rows, return the refused ones, and search", async () => {
    const page = await seat("settings/articles");
    await button(page, "Importar").click();
    const csv = "name,price,retailer_id\nPique,45.50,P-1\nSilpancho,30,S-1\nSin precio,gratis,X-1\n";
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "carta.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await page.getByText("Creados: 2").waitFor();
    await page.getByText("Rechazados: 1").waitFor();
    const link = page.getByRole("link", { name: "Descargar las filas rechazadas con su motivo" });
    const refused = await page.request.get(new URL((await link.getAttribute("href")) ?? "", stage.world.api).href);
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

  it("say that imported rows stay when an import is stopped", async () => {
    const page = await seat("settings/articles");
    await page.route("**/admin/articles/import", () => {});
    await button(page, "Importar").click();
    const file = { name: "carta.csv", mimeType: "text/csv", buffer: Buffer.from("name,price\nPollo,20\n") };
    await page.locator("input[type=file]").setInputFiles(file);
    await button(page, "Detener").click();
    await page.getByText("Importación detenida.").waitFor();
    await page.getByText("lo ya importado queda").waitFor();
    expect(await page.getByRole("dialog").getByRole("alert").count()).to.equal(0);
    await button(page, "Cerrar").click();
  });

  it("do not say that a file was imported if the connection broke meanwhile", async () => {
    const page = await seat("settings/articles");
    const body = `${JSON.stringify({ created: 1, updated: 0, unchanged: 0, refused: 0 })}\n`;
    await page.route("**/admin/articles/import", (route) => route.fulfill({ body }));
    await button(page, "Importar").click();
    const file = { name: "carta.csv", mimeType: "text/csv", buffer: Buffer.from("name,price\nPollo,20\n") };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByText("Creados: 1").waitFor();
    await page.getByText("Importación detenida.").waitFor();
    await page.getByText("lo ya importado queda").waitFor();
    expect(await page.getByText("Importado", { exact: true }).count()).to.equal(0);
  });

  it("are not shown to another business", async () => {
    const { json: tag } = await asAdmin("/admin/tags", "POST", { nombre: "Solo del primero" });
    const page = await seat(`settings/tags?record=${tag.id}`, otherAdmin);
    await page.getByRole("dialog").getByRole("alert").waitFor();
    expect(await page.getByText("Solo del primero").count()).to.equal(0);
  });

  it("pass axe and fit every width, light and dark", async () => {
    await asAdmin("/admin/quick-replies", "POST", { nombre: "Horario", texto: "Abrimos a las 9. ".repeat(30) });
    const long = "Combinado de la casa con todo lo que uno quiera para compartir entre varios amigos";
    await asAdmin("/admin/articles", "POST", { name: long, price: "1234567.89", retailer_id: "X".repeat(60) });
    const page = await seat("settings/quick-replies");
    const found: string[] = [];
    for (const view of [
      "quick-replies?record=new",
      "extras?record=new",
      "articles",
      "zones?record=new",
      "ad-accounts",
    ]) {
      await goTo(page, `settings/${view}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      if (view.includes("record")) await button(page, "Guardar").waitFor();
      if (view.startsWith("quick")) await page.getByRole("textbox", { name: /^Texto/ }).fill("Hola");
      if (view === "articles") await rowOf(page, long).waitFor();
      found.push(...(await flaws(page, view)));
    }
    expect(found).to.deep.equal([]);
  });
});
