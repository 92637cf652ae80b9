import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../support/wait.ts";
import { aBusiness } from "../support/world.ts";
import { setStage, wide } from "./stage.ts";

const admin = 101;

describe("the console's unsaved input", () => {
  const stage = setStage({ viewport: wide, businesses: [aBusiness(1)] });

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const place = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Ajustes" }).getByRole("link", { name, exact: true });
  const question = (page: Page) => page.getByRole("dialog", { name: "¿Descartar los cambios?" });
  const isAt = (page: Page, path: string) =>
    eventually(() => new URL(page.url()).pathname === `/console/settings/${path}`);
  const name = (page: Page) => page.getByLabel("Nombre", { exact: false }).first();

  /** Forms that fill a page. Each test leaves its form by the menu's link to the tags. */
  const forms = ["business", "departments/new", "templates/new"] as const;
  for (const form of forms)
    it(`is asked about before a link leaves ${form}`, async () => {
      const page = await stage.seat(admin, `settings/${form}`);
      await name(page).fill("A medio escribir");
      await place(page, "Etiquetas").click();
      await button(page, "Seguir editando").click();
      await question(page).waitFor({ state: "detached" });
      await isAt(page, form);
      expect(await name(page).inputValue()).to.equal("A medio escribir");
      await place(page, "Etiquetas").click();
      await button(page, "Descartar").click();
      await isAt(page, "tags");
    });

  it("is asked about before going back and forward", async () => {
    const page = await stage.seat(admin, "settings/tags");
    await place(page, "Tu negocio").click();
    await name(page).waitFor();
    await place(page, "Etiquetas").click();
    await isAt(page, "tags");
    await page.goBack();
    await name(page).fill("A medio escribir");
    for (const go of [() => page.goBack(), () => page.goForward()]) {
      await go();
      await question(page).waitFor();
      await page.keyboard.press("Escape");
      await question(page).waitFor({ state: "detached" });
      await isAt(page, "business");
      expect(await name(page).inputValue()).to.equal("A medio escribir");
    }
    await page.goBack();
    await button(page, "Descartar").click();
    await isAt(page, "tags");
    await page.getByRole("heading", { name: "Etiquetas", level: 1 }).waitFor();
  });

  it("is asked about before going back closes a panel", async () => {
    const page = await stage.seat(admin, "settings/tags");
    await button(page, "Nueva etiqueta").click();
    await name(page).fill("A medio escribir");
    await page.goBack();
    await question(page).waitFor();
    await page.keyboard.press("Escape");
    await question(page).waitFor({ state: "detached" });
    expect(await name(page).inputValue()).to.equal("A medio escribir");
    await page.keyboard.press("Escape");
    await button(page, "Descartar").click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("is asked about before a link leaves a typed password", async () => {
    const page = await stage.seat(admin, "account");
    await page.getByLabel("Contraseña nueva").fill("A medio escribir");
    await page.getByRole("link", { name: "Bandeja" }).click();
    await button(page, "Seguir editando").click();
    expect(await page.getByLabel("Contraseña nueva").inputValue()).to.equal("A medio escribir");
    await page.getByRole("link", { name: "Bandeja" }).click();
    await button(page, "Descartar").click();
    await page.getByRole("heading", { name: "Bandeja" }).waitFor();
  });

  it("is asked about before the tab is closed", async () => {
    const page = await stage.seat(admin, "settings/flags");
    await page.getByRole("textbox", { name: "Minutos sin respuesta al bot" }).click();
    await page.keyboard.type("45");
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).to.equal("beforeunload");
    await dialog.dismiss();
  });

  it("is not asked about once it is saved", async () => {
    const page = await stage.seat(admin, "settings/business");
    await name(page).fill("Otro nombre");
    await button(page, "Guardar").click();
    await page.getByText("Guardado").waitFor();
    await place(page, "Departamentos").click();
    await isAt(page, "departments");
    await page.goto(`${stage.world.api}/console/settings/departments/new`);
    await name(page).fill("Envíos");
    await button(page, "Guardar").click();
    await page.getByRole("link", { name: "Envíos" }).waitFor();
    await page.goto(`${stage.world.api}/console/settings/templates/new`);
    await name(page).fill("Aviso");
    await page.getByLabel("Cuerpo").fill("Su pedido está listo.");
    await button(page, "Guardar").click();
    await page.getByRole("link", { name: "Aviso" }).waitFor();
    expect(await question(page).count()).to.equal(0);
  });

  it("does not get lost while it is saved, and a form that was left does not open its list", async () => {
    const page = await stage.seat(admin, "settings/departments/new");
    let hasLeft = false;
    await page.route("**/admin/departments", async (route) => {
      if (route.request().method() === "POST") await eventually(() => hasLeft);
      await route.continue();
    });
    const saved = page.waitForResponse((response) => response.request().method() === "POST");
    await name(page).fill("Reclamos");
    await button(page, "Guardar").click();
    await name(page).pressSequentially(" y más");
    expect(await name(page).inputValue()).to.equal("Reclamos");
    await place(page, "Etiquetas").click();
    await button(page, "Descartar").click();
    await isAt(page, "tags");
    hasLeft = true;
    await (await saved).finished();
    await page.getByRole("heading", { name: "Etiquetas", level: 1 }).waitFor();
    await page.waitForTimeout(300);
    await isAt(page, "tags");
    await place(page, "Departamentos").click();
    await page.getByRole("link", { name: "Reclamos", exact: true }).waitFor();
  });
});
