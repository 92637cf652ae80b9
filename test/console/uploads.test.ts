import { expect } from "chai";
import type { Page } from "playwright-core";
import { aBusiness } from "../support/world.ts";
import { setStage } from "./stage.ts";
import { picture } from "./thread-bench.ts";

describe("the console's uploads", () => {
  const stage = setStage({ businesses: [aBusiness(1)], keepsMedia: true });

  const seat = (view: string) => stage.seat(101, view);
  const chooseFile = (page: Page) =>
    page.locator("input[type=file]").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: picture });

  it("fail if the answer is empty, and succeed at the next try", async () => {
    const page = await seat("settings/quick-replies?record=new");
    await page.route("**/media", (route) => route.fulfill({ status: 503, body: "" }), { times: 1 });
    await chooseFile(page);
    await page.getByRole("alert").waitFor();
    await chooseFile(page);
    await page.getByRole("img", { name: "Vista previa de Archivo" }).waitFor();
  });

  /** Holds the next upload back until the returned function is called. */
  const heldUpload = async (page: Page): Promise<() => void> => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(
      "**/media",
      async (route) => {
        await released;
        // The page may have cancelled the upload.
        await route.continue().catch(() => {});
      },
      { times: 1 },
    );
    return release;
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const forms = {
    "a quick reply": { view: "settings/quick-replies?record=new", name: /^Nombre/, more: /^Texto/ },
    "a step": { view: "settings/steps?step=new", name: /^Nombre/, more: null },
    "the business": { view: "settings/business", name: "Nombre del negocio", more: null },
  };
  for (const [form, { view, name, more }] of Object.entries(forms))
    it(`must end before ${form} can be saved`, async () => {
      const page = await seat(view);
      await page.getByRole("textbox", { name }).fill("Con archivo");
      if (more) await page.getByRole("textbox", { name: more }).fill("Hola");
      await page.locator("button[type=submit]:enabled", { hasText: "Guardar" }).waitFor();
      const pass = await heldUpload(page);
      await chooseFile(page);
      await page.locator("button[type=submit]:disabled", { hasText: "Guardar" }).waitFor();
      pass();
      const saved = page.waitForRequest(
        (request) => ["POST", "PUT"].includes(request.method()) && request.url().includes("/admin/"),
      );
      await button(page, "Guardar").click();
      expect((await saved).postData()).to.include("https://media.test/");
    });

  it("are unsaved input", async () => {
    const page = await seat("settings/quick-replies?record=new");
    await heldUpload(page);
    await page
      .getByRole("dialog")
      .getByRole("textbox", { name: /^Nombre/ })
      .waitFor();
    await chooseFile(page);
    await button(page, "Cancelar").click();
    await page.getByText("¿Descartar los cambios?").waitFor();
  });

  it("end when a template gets another header, and do not restore the older form", async () => {
    const page = await seat("settings/templates/new");
    const header = async (kind: string): Promise<void> => {
      await page.getByRole("combobox", { name: "Encabezado" }).click();
      await page.getByRole("option", { name: kind, exact: true }).click();
    };
    await header("Imagen");
    const pass = await heldUpload(page);
    await chooseFile(page);
    await page.locator("button[type=submit]:disabled", { hasText: "Enviar a aprobación" }).waitFor();
    await header("Ninguno");
    await page.getByLabel("Cuerpo").fill("Tu pedido está listo.");
    pass();
    await page.locator("button[type=submit]:enabled", { hasText: "Enviar a aprobación" }).waitFor();
    expect(await page.getByLabel("Cuerpo").inputValue()).to.equal("Tu pedido está listo.");
    await header("Imagen");
    expect(await page.getByLabel("Archivo de ejemplo").inputValue()).to.equal("");
  });
});
