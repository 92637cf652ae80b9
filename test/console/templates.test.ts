import { expect } from "chai";
import type { Page } from "playwright-core";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness } from "../support/world.ts";
import { axeViolations } from "./axe.ts";
import { setStage } from "./stage.ts";
import { picture } from "./thread-bench.ts";

const admin = 101;

describe("the console's template editor", () => {
  const stage = setStage({ businesses: [aBusiness(1)], keepsMedia: true });

  const seat = (view: string) => stage.seat(admin, view);
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const rowOf = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });
  const choose = async (page: Page, label: string, option: string): Promise<void> => {
    await page
      .getByRole("textbox", { name: label })
      .or(page.getByRole("combobox", { name: label }))
      .first()
      .click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const review = (body: object) => stage.world.control("POST", "/reviews", { delay_ms: 0, ...body });

  async function writeTemplate(page: Page, name: string): Promise<void> {
    await page.getByLabel("Nombre").fill(name);
    await page.getByLabel("Cuerpo").fill("Hola {{1}}, tu pedido está listo.");
    await page.getByLabel("Ejemplo de {{1}}").fill("Ana");
  }

  it("previews a template, submits it, and shows the platform's approval", async () => {
    await review({ outcome: "APPROVED" });
    const page = await seat("settings/templates/new");
    await writeTemplate(page, "Pedido listo");
    await page.getByRole("region", { name: "Así la verá tu cliente" }).getByText("Hola Ana, tu pedido").waitFor();
    await button(page, "Enviar a aprobación").click();
    await rowOf(page, "Pedido listo").getByText("Aprobada").waitFor();
  });

  it("says that a search found nothing, instead of that there are no templates", async () => {
    const page = await seat("settings/templates");
    await page.getByRole("searchbox", { name: "Buscar plantilla" }).fill("no hay tal");
    await page.getByText("Ninguna plantilla coincide con «no hay tal».").waitFor();
  });

  it("shows violations of the platform's rules before a template is submitted", async () => {
    const page = await seat("settings/templates/new");
    await page.getByLabel("Nombre").fill("Con error");
    await page.getByLabel("Cuerpo").fill("{{1}} hola");
    await page.getByText("No puede empezar ni terminar con una variable.").waitFor();
    await button(page, "Enviar a aprobación").click();
    await page.getByText("Falta el ejemplo.").waitFor();
    expect(new URL(page.url()).pathname).to.equal("/console/settings/templates/new");
  });

  it("shows why the platform rejected a template, and submits it again after a change", async () => {
    await review({ outcome: "REJECTED", reason: "INVALID_FORMAT" });
    const page = await seat("settings/templates/new");
    await writeTemplate(page, "Aviso");
    await button(page, "Enviar a aprobación").click();
    await rowOf(page, "Aviso").getByText("Motivo: INVALID_FORMAT").waitFor();
    await review({ outcome: "APPROVED" });
    await page.getByRole("link", { name: "Aviso" }).click();
    await page.getByLabel("Cuerpo").fill("Hola {{1}}, ya puedes recogerlo.");
    await button(page, "Enviar a aprobación").click();
    await rowOf(page, "Aviso").getByText("Aprobada").waitFor();
  });

  it("saves a change after the platform refused the submission", async () => {
    await stage.world.control("POST", "/faults", { path: "message_templates", code: 100, status: 400 });
    const page = await seat("settings/templates/new");
    await writeTemplate(page, "Rechazada");
    await button(page, "Enviar a aprobación").click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Cuerpo").fill("Hola {{1}}, ya cambió.");
    await button(page, "Guardar").click();
    await rowOf(page, "ya cambió.").waitFor();
  });

  it("keeps a colleague's change to a template that was open meanwhile", async () => {
    const headers = { authorization: `Bearer ${await stage.world.sessionToken(admin)}` };
    const templates = `${stage.world.api}/admin/templates`;
    const withBody = (text: string) => ({
      nombre: "Para dos",
      template: { language: "es", category: "UTILITY", components: [{ type: "BODY", text }] },
    });
    const { json } = await request(templates, { method: "POST", headers, body: withBody("Ya está listo.") });
    const page = await seat(`settings/templates/${json.id}`);
    await page.getByLabel("Pie").fill("Gracias por tu compra");
    const other = { method: "PUT", headers, body: withBody("Tu pedido ya está listo.") };
    expect((await request(`${templates}/${json.id}`, other)).status).to.equal(200);
    await button(page, "Guardar").click();
    await page.getByText("Alguien más guardó cambios").waitFor();
    expect(await page.getByLabel("Cuerpo").inputValue()).to.equal("Tu pedido ya está listo.");
    await button(page, "Guardar").click();
    await rowOf(page, "Tu pedido ya está listo.").waitFor();
    const stored = await request(`${templates}/${json.id}`, { headers });
    expect(stored.json.template.components).to.deep.equal([
      { type: "BODY", text: "Tu pedido ya está listo." },
      { type: "FOOTER", text: "Gracias por tu compra" },
    ]);
  });

  it("does not blame a colleague if the answer to a save was lost and the user saves again", async () => {
    const headers = { authorization: `Bearer ${await stage.world.sessionToken(admin)}` };
    const body = {
      nombre: "Sin respuesta",
      template: { language: "es", category: "UTILITY", components: [{ type: "BODY", text: "Ya está listo." }] },
    };
    const { json } = await request(`${stage.world.api}/admin/templates`, { method: "POST", headers, body });
    const page = await seat(`settings/templates/${json.id}`);
    await page.getByLabel("Cuerpo").fill("Ya llegó tu pedido.");
    await page.route(
      "**/admin/templates/*",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await button(page, "Guardar").click();
    await page.getByRole("alert").waitFor();
    await button(page, "Guardar").click();
    await rowOf(page, "Sin respuesta").getByText("Ya llegó tu pedido.").waitFor();
  });

  it("submits a header with a picture, which the preview shows and messages use", async () => {
    await review({ outcome: "APPROVED" });
    const page = await seat("settings/templates/new");
    await writeTemplate(page, "Carta del día");
    await choose(page, "Encabezado", "Imagen");
    await button(page, "Enviar a aprobación").click();
    await page.getByText("Falta el archivo de ejemplo.").waitFor();
    await page.locator("input[type=file]").setInputFiles({ name: "carta.png", mimeType: "image/png", buffer: picture });
    await page.getByRole("region", { name: "Así la verá tu cliente" }).getByText("Imagen").waitFor();
    await eventually(async () =>
      (await page.getByLabel("Archivo de ejemplo").inputValue()).startsWith("https://media.test/"),
    );
    await button(page, "Enviar a aprobación").click();
    await rowOf(page, "Carta del día").getByText("Aprobada").waitFor();
    const [stored] = await stage.world.rows<{ file_name: string; header_type: string; structure: object }>(
      "select file_name, header_type, structure from templates where name = 'Carta del día'",
    );
    expect(stored?.header_type).to.equal("IMAGE");
    expect(JSON.stringify(stored?.structure)).to.include(`"header_handle":["${stored?.file_name}"]`);
  });

  it("submits a template for one-time codes with the platform's text", async () => {
    await review({ outcome: "APPROVED" });
    const page = await seat("settings/templates/new");
    await page.getByLabel("Nombre").fill("Código de acceso");
    await choose(page, "Categoría", "Autenticación");
    const preview = page.getByRole("region", { name: "Así la verá tu cliente" });
    await preview.getByText("123456 es tu código de verificación. Por tu seguridad, no lo compartas.").waitFor();
    expect(await axeViolations(page)).to.deep.equal([]);
    await page.getByLabel("Minutos hasta que caduca").fill("100");
    await page.getByText("De 1 a 90 minutos.").waitFor();
    await page.getByLabel("Minutos hasta que caduca").fill("5");
    await preview.getByText("Este código caduca en 5 minutos.").waitFor();
    await button(page, "Enviar a aprobación").click();
    await rowOf(page, "Código de acceso").getByText("Aprobada").waitFor();
    const [stored] = await stage.world.rows<{ structure: { components: object[] } }>(
      "select structure from templates where name = 'Código de acceso'",
    );
    expect(stored?.structure.components).to.deep.equal([
      { type: "BODY", add_security_recommendation: true },
      { type: "FOOTER", code_expiration_minutes: 5 },
      { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] },
    ]);
    await page.getByRole("link", { name: "Código de acceso" }).click();
    await preview.getByText("Este código caduca en 5 minutos.").waitFor();
  });
});
