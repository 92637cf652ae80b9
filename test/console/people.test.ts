import { expect } from "chai";
import type { Page } from "playwright-core";
import { request } from "../support/http.ts";
import { aBusiness } from "../support/world.ts";
import { objections } from "./axe.ts";
import { setStage } from "./stage.ts";

const admin = 101;
/** One pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("the console's pages of people and of the business", function () {
  this.timeout(90_000);
  const stage = setStage({ businesses: [aBusiness(1), aBusiness(2)], keepsMedia: true });

  const seat = (view: string, user = admin) => stage.seat(user, view);
  const asAdmin = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${await stage.world.sessionToken(admin)}` };
    return request(`${stage.world.api}${path}`, { method, headers, ...(body && { body }) });
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const rowOf = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });

  it("invites a user whose link opens a session once, and takes the access away again", async () => {
    const page = await seat("settings/users");
    await button(page, "Invitar usuario").click();
    const panel = page.getByRole("dialog");
    await panel.getByLabel("Nombre").fill("Nina Nueva");
    await panel.getByLabel("Correo").fill("nina@b1.test");
    await button(page, "Crear invitación").click();
    const link = (await panel.locator("code").innerText()).trim();
    await panel.getByText("no se volverá a mostrar").waitFor();
    await panel.getByRole("button", { name: "Cerrar", exact: true }).last().click();

    const guest = await stage.visitor(`invitation/${link.split("/").at(-1)}`);
    await guest.getByLabel("Contraseña nueva").fill("corta");
    await guest.getByText("Faltan 5 caracteres.").waitFor();
    expect(await button(guest, "Guardar y entrar").isDisabled()).to.equal(true);
    await guest.getByLabel("Contraseña nueva").fill("bastante larga");
    await button(guest, "Guardar y entrar").click();
    await guest.getByRole("list", { name: "Chats" }).waitFor();
    await guest.goto(link);
    await guest.getByLabel("Contraseña nueva").fill("bastante larga");
    await button(guest, "Guardar y entrar").click();
    await guest.getByRole("heading", { name: "Este enlace ya no sirve" }).waitFor();

    await button(page, "Nina Nueva").click();
    await button(page, "Desactivar: Nina Nueva").click();
    await page.getByText("vuelven a la cola de espera").waitFor();
    await button(page, "Desactivar").click();
    await page.getByText("Nina Nueva no puede entrar").waitFor();
    await guest.goto(`${stage.world.api}/console/inbox`);
    await button(guest, "Entrar").waitFor();
  });

  it("joins the changes of two people to one record, and refuses an e-mail that is taken", async () => {
    const made = await asAdmin("POST", "/admin/users", { nombre: "Dora", email: "dora@b1.test", role_id: 5 });
    const page = await seat(`settings/users?user=${made.json.id}`);
    const panel = page.getByRole("dialog");
    await panel.getByLabel("Nombre").fill("Dora Díaz");
    const other = { nombre: "Dora", email: "dora.diaz@b1.test", role_id: 5 };
    expect((await asAdmin("PUT", `/admin/users/${made.json.id}`, other)).status).to.equal(200);
    await button(page, "Guardar").click();
    await panel.getByText("Alguien más guardó cambios").waitFor();
    expect(await panel.getByLabel("Correo").inputValue()).to.equal("dora.diaz@b1.test");
    expect(await panel.getByLabel("Nombre").inputValue()).to.equal("Dora Díaz");
    await button(page, "Guardar").click();
    await rowOf(page, "Dora Díaz").getByText("dora.diaz@b1.test").waitFor();

    await asAdmin("POST", "/admin/users", { nombre: "Eva", email: "eva@b1.test", role_id: 5 });
    await button(page, "Dora Díaz").click();
    await panel.getByLabel("Correo").fill("eva@b1.test");
    await button(page, "Guardar").click();
    await panel.getByText("Este correo ya lo usa otra persona.").waitFor();
  });

  it("paints a department's week by mouse and keyboard, keeps exact times, and says what keeps it from being deleted", async () => {
    const page = await seat("settings/departments/new");
    await page.getByLabel("Nombre").fill("Mostrador");
    await page.getByRole("combobox", { name: "Integrantes" }).click();
    await page.getByRole("option").first().click();
    await page.keyboard.press("Escape");
    await page.getByRole("switch", { name: "Siempre abierto" }).click();
    const slot = (name: string) => page.getByRole("gridcell", { name, exact: false });
    await slot("Sábado 10:00").hover();
    await page.mouse.down();
    await slot("Domingo 11:30").hover();
    await page.mouse.up();
    await slot("Lunes 18:00").focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByLabel("Martes: desde").fill("08:15");
    await button(page, "Copiar el Martes a otros días").click();
    await page.getByRole("menuitem", { name: "Miércoles" }).click();
    await button(page, "Guardar").click();
    await rowOf(page, "Mostrador").waitFor();
    const { json } = await asAdmin("GET", "/admin/departments?q=Mostrador");
    expect(json.data[0].horario).to.deep.equal({
      mon: [["09:00", "19:00"]],
      tue: [["08:15", "18:00"]],
      wed: [["08:15", "18:00"]],
      thu: [["09:00", "18:00"]],
      fri: [["09:00", "18:00"]],
      sat: [["10:00", "12:00"]],
      sun: [["10:00", "12:00"]],
    });
    await page.getByRole("link", { name: "Mostrador" }).click();
    await button(page, "Eliminar: Mostrador").click();
    await button(page, "Eliminar").click();
    await page.getByRole("alert").getByText("Todavía está en uso (usuarios: 1)").waitFor();
  });

  it("lets an agent change the own password, and reach nothing of the settings", async () => {
    const password = "la primera clave";
    const made = await asAdmin("POST", "/admin/users", { nombre: "Ada", email: "ada@b1.test", role_id: 5 });
    const body = { token: made.json.invitation.token, password };
    expect((await request(`${stage.world.api}/auth/invitation`, { method: "POST", body })).status).to.equal(200);
    const page = await stage.visitor("account");
    await page.getByLabel("Correo").fill("ada@b1.test");
    await page.getByLabel("Contraseña").fill(password);
    await button(page, "Entrar").click();
    await page.getByRole("heading", { name: "Mi cuenta" }).waitFor();
    await page.getByLabel("Contraseña actual").fill("otra cosa");
    await page.getByLabel("Contraseña nueva").fill("la segunda clave");
    await button(page, "Cambiar contraseña").click();
    await page.getByText("La contraseña actual no es correcta.").waitFor();
    await page.getByLabel("Contraseña actual").fill(password);
    await button(page, "Cambiar contraseña").click();
    await page.getByText("Tu contraseña cambió.").waitFor();
    const signIn = { email: "ada@b1.test", password: "la segunda clave" };
    expect((await request(`${stage.world.api}/auth/session`, { method: "POST", body: signIn })).status).to.equal(200);
    await page.goto(`${stage.world.api}/console/settings/users`);
    await page.getByText("Esta pantalla es para administradores.").waitFor();
  });

  it("changes flags without losing those that it does not show, and shows who did it in the audit", async () => {
    await stage.world.rows(
      `update businesses set feature_flags = feature_flags || '{"of_tomorrow": 7, "tax_id_label": "NIT"}' where id = 1`,
    );
    const page = await seat("settings/flags");
    await page.getByLabel("Minutos sin respuesta al bot").fill("45");
    await button(page, "Agregar moneda").click();
    await page.getByPlaceholder("USD").fill("usd");
    await page.getByLabel("Valor").fill("6,96");
    await button(page, "Guardar").click();
    await page.getByRole("status").getByText("Guardado").waitFor();
    const [{ flags }] = (await stage.world.rows("select feature_flags as flags from businesses where id = 1")) as [
      { flags: Record<string, unknown> },
    ];
    expect(flags).to.include({ of_tomorrow: 7, tax_id_label: "NIT", bot_inactivity_minutes: 45 });
    expect(flags.currency_conversion).to.deep.equal({ USD: "6.96" });

    await page.goto(`${stage.world.api}/console/settings/business`);
    await page.getByLabel("Nombre del negocio").fill("Tienda Nueva");
    await page.locator("input[type=file]").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: picture });
    await page.getByRole("img", { name: "Imagen" }).waitFor();
    await button(page, "Guardar").click();
    await page.getByRole("status").getByText("Guardado").waitFor();
    await page.goto(`${stage.world.api}/console/settings/audit?resource=business`);
    const entry = rowOf(page, "Tienda Nueva").first();
    await entry.getByRole("button", { name: "Ver qué cambió" }).click();
    await entry.getByRole("cell", { name: "Tienda Nueva" }).waitFor();
    await entry.getByRole("cell", { name: /\/media\// }).waitFor();
    expect(await rowOf(page, "cambió opciones").count()).to.equal(0);
    await button(page, "Quitar filtros").click();
    await rowOf(page, "cambió opciones").first().waitFor();
  });

  it("has nothing that axe objects to and fits every width, light and dark", async () => {
    const { json } = await asAdmin("POST", "/admin/departments", {
      nombre: "Ventas",
      horario: { fri: [["18:10", "02:00"]] },
    });
    const settings = ["users", "users?user=101", `departments/${json.id}`, "departments", "business", "flags", "audit"];
    const views = [...settings.map((each) => `settings/${each}`), "account", "invitation/ri_none"];
    const page = await seat("settings");
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const view of views) {
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(`${stage.world.api}/console/${view}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
      await page.waitForLoadState("networkidle");
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [1440, 768, 360]) {
          await page.setViewportSize({ width, height: 900 });
          const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
          expect(overflow, `${view} at ${width}`).to.be.at.most(0);
          if (process.env.SHOTS) {
            const name = view.replaceAll(/\W/g, "_");
            await page.screenshot({ path: `${process.env.SHOTS}/${name}-${width}-${colorScheme}.png` });
          }
        }
        expect(await objections(page), `${view} ${colorScheme}`).to.deep.equal([]);
      }
    }
  });
});
