import { readFile } from "node:fs/promises";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness } from "../support/world.ts";
import { flaws } from "./axe.ts";
import { setStage } from "./stage.ts";

const admin = 101;
/** A picture of one pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("the console's pages of people and of the business", () => {
  const stage = setStage({ businesses: [aBusiness(1), aBusiness(2)], keepsMedia: true });

  const seat = (view: string, user = admin) => stage.seat(user, view);
  const asAdmin = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${await stage.world.sessionToken(admin)}` };
    return request(`${stage.world.api}${path}`, { method, headers, ...(body && { body }) });
  };
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const rowOf = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });

  it("invite a user whose link opens a session once, and remove the access again", async () => {
    const page = await seat("settings/users");
    await button(page, "Invitar usuario").click();
    const panel = page.getByRole("dialog");
    await panel.getByLabel("Nombre").fill("Nina Nueva");
    await panel.getByLabel("Correo").fill("nina@b1.test");
    await button(page, "Crear invitación").click();
    const link = (await panel.locator("code").innerText()).trim();
    expect(new URL(page.url()).search).to.match(/^\?user=\d+$/);
    await panel.getByText("no se volverá a mostrar").waitFor();
    await panel.getByRole("button", { name: "Cerrar", exact: true }).last().click();

    const guest = await stage.visitor(`invitation/${link.split("/").at(-1)}`);
    await guest.getByLabel("Contraseña nueva").fill("corta");
    await guest.getByText("Faltan 5 caracteres.").waitFor();
    expect(await button(guest, "Guardar y entrar").isDisabled()).to.equal(true);
    await guest.getByLabel("Contraseña nueva").fill("bastante larga");
    await button(guest, "Guardar y entrar").click();
    await guest.getByRole("list", { name: "Chats" }).waitFor();
    // A used link shows at once that it no longer works. The guest stays signed in.
    await guest.goto(link);
    await guest.getByRole("heading", { name: "Este enlace ya no sirve" }).waitFor();
    expect(await guest.getByLabel("Contraseña nueva").count()).to.equal(0);
    await guest.getByRole("link", { name: "Ir a la entrada" }).click();
    await guest.getByRole("list", { name: "Chats" }).waitFor();

    await button(page, "Nina Nueva").click();
    await button(page, "Desactivar: Nina Nueva").click();
    await page.getByText("vuelven a la cola de espera").waitFor();
    await button(page, "Desactivar").click();
    await page.getByText("Nina Nueva no puede entrar").waitFor();
    await guest.goto(`${stage.world.api}/console/inbox`);
    await button(guest, "Entrar").waitFor();
  });

  it("give lists and forms of the settings the same width", async () => {
    const page = await seat("settings/users");
    await page.setViewportSize({ width: 1440, height: 900 });
    const widths = new Set<number>();
    for (const view of ["users", "business", "flags", "audit"]) {
      await page.goto(`${stage.world.api}/console/settings/${view}`);
      const shown = page.locator("main").locator("form, ul[aria-label]").last();
      await shown.waitFor();
      widths.add((await shown.boundingBox())?.width ?? 0);
    }
    expect([...widths]).to.have.length(1);
  });

  it("describe what a user of another role may do", async () => {
    await asAdmin("POST", "/admin/users", { nombre: "Otto Otro", email: "otto@b1.test", role_id: 2 });
    const page = await seat("settings/users");
    await rowOf(page, "Otto Otro").getByText("Agente (otro rol)").waitFor();
    expect(await page.getByText(/Rol \d/).count()).to.equal(0);
  });

  it("merge the changes of two people to one record, and refuse an e-mail that is in use", async () => {
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

  it("show the link of an invitation that was made after a reset, not the link of the reset", async () => {
    const made = await asAdmin("POST", "/admin/users", { nombre: "Lía", email: "lia@b1.test", role_id: 5 });
    const page = await seat(`settings/users?user=${made.json.id}`);
    const link = page.getByRole("dialog").locator("code");
    await button(page, "Restablecer contraseña: Lía").click();
    await button(page, "Restablecer contraseña").click();
    const first = await link.innerText();
    await button(page, "Nuevo enlace de invitación").click();
    await eventually(async () => (await link.innerText()) !== first);
    const token = (await link.innerText()).trim().split("/").at(-1);
    const check = await request(`${stage.world.api}/auth/invitation/check`, { method: "POST", body: { token } });
    expect(check.status).to.equal(200);
  });

  it("edit a department's opening hours by mouse and keyboard, keep exact times, and say what prevents its deletion", async () => {
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

  it("let agents change their own password, and hide the settings from them", async () => {
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

  it("import users from a file, and export the filtered ones", async () => {
    const page = await seat("settings/users");
    await button(page, "Importar").click();
    const rows = ["Rita Rojas,rita@b1.test,5,sí", "Raúl Rojas,raul@b1.test,1,no", "Sin correo,,5,sí"];
    const file = Buffer.from(["nombre,email,role_id,activo", ...rows].join("\n"));
    await page.locator("input[type=file]").setInputFiles({ name: "gente.csv", mimeType: "text/csv", buffer: file });
    await page.getByText("Creados: 2").waitFor();
    await page.getByText("Rechazados: 1").waitFor();
    await page.getByRole("link", { name: "Descargar las filas rechazadas" }).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cerrar", exact: true }).last().click();
    await rowOf(page, "Rita Rojas").waitFor();
    expect(await rowOf(page, "Raúl Rojas").count()).to.equal(0);

    await page.getByText("Inactivos", { exact: true }).click();
    await rowOf(page, "Raúl Rojas").waitFor();
    await page.getByRole("combobox", { name: "Rol" }).click();
    await page.getByRole("option", { name: "Administrador" }).click();
    await page.getByRole("searchbox").fill("Rojas");
    await eventually(() => ["role=1", "standing=inactive", "q=Rojas"].every((each) => page.url().includes(each)));
    await page.reload();
    await rowOf(page, "Raúl Rojas").waitFor();
    expect(await rowOf(page, "Rita Rojas").count()).to.equal(0);
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Exportar").click()]);
    expect(download.suggestedFilename()).to.equal("users.csv");
    const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n");
    expect(lines).to.have.length(2);
    expect(lines[1]).to.include("raul@b1.test");
  });

  it("show agents their sessions, and end one of them or all others", async () => {
    const { json } = await asAdmin("POST", "/admin/users", { nombre: "Sara", email: "sara@b1.test", role_id: 5 });
    const page = await seat("account", json.id);
    const others = await Promise.all([1, 2, 3].map(() => seat("account", json.id)));
    await page.reload();
    const sessions = page.getByRole("list", { name: "Sesiones abiertas" }).getByRole("listitem");
    await sessions.filter({ hasText: "Esta sesión" }).waitFor();
    expect(await sessions.count()).to.equal(4);
    const ends = page.getByRole("button", { name: /^Cerrar sesión:/ });
    expect(await ends.count()).to.equal(3);
    await ends.first().click();
    await button(page, "Cerrar sesión").click();
    await eventually(async () => (await sessions.count()) === 3);
    await button(page, "Cerrar las demás: Sesiones abiertas").click();
    await button(page, "Cerrar las demás").click();
    await eventually(async () => (await sessions.count()) === 1);
    await sessions.getByText("Esta sesión").waitFor();
    for (const other of others) {
      await other.reload();
      await button(other, "Entrar").waitFor();
    }
  });

  it("change flags without losing hidden ones, and show who did it in the audit", async () => {
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

  it("keep what is typed while options are being saved, and write numbers in the console's language", async () => {
    await stage.world.rows(
      `update businesses set feature_flags = feature_flags || '{"media_quota_bytes": 5000000000}' where id = 1`,
    );
    const page = await seat("settings/flags");
    await page.evaluate(`localStorage.setItem("recado.language", "en")`);
    await page.reload();
    await page.getByText("5,000 MB").waitFor();
    await page.evaluate(`localStorage.setItem("recado.language", "es")`);
    await page.reload();
    const label = page.getByLabel("Nombre del número fiscal");
    await page.route("**/admin/flags", async (route) => {
      if (route.request().method() === "PUT") await label.fill("RUC de la tienda");
      await route.continue();
    });
    await label.fill("RUC");
    const saved = page.waitForResponse((response) => response.request().method() === "PUT");
    await button(page, "Guardar").click();
    await saved;
    await eventually(() => button(page, "Guardar").isEnabled());
    expect(await label.inputValue()).to.equal("RUC de la tienda");
    await page.unroute("**/admin/flags");
    await button(page, "Guardar").click();
    await page.getByRole("status").getByText("Guardado").waitFor();
    const { json } = await asAdmin("GET", "/admin/flags");
    expect(json.tax_id_label).to.equal("RUC de la tienda");
  });

  it("pass axe and fit every width, light and dark", async () => {
    const { json } = await asAdmin("POST", "/admin/departments", {
      nombre: "Ventas",
      horario: { fri: [["18:10", "02:00"]] },
    });
    const invited = await asAdmin("POST", "/admin/users", { nombre: "Iris", email: "iris@b1.test", role_id: 5 });
    const page = await seat("settings");
    for (const [view, shown] of [
      ["settings/users", "Ana Agente"],
      ["settings/users?user=101", "Acceso"],
      [`settings/departments/${json.id}`, "Mensaje fuera de horario"],
      ["settings/departments", "Nuevo departamento"],
      ["settings/business", "Nombre del negocio"],
      ["settings/flags", "Nombre del número fiscal"],
      ["settings/audit", "creó departamento «Ventas»"],
      ["account", "Esta sesión"],
      [`invitation/${invited.json.invitation.token}`, "Con ella y tu correo"],
      ["invitation/ri_none", "Este enlace ya no sirve"],
    ] as const) {
      // Without a reload, axe stays in the page. Loading it again would take longer than running it.
      await page.evaluate(`history.pushState(null, "", "/console/${view}")`);
      await page.getByText(shown).first().waitFor();
      await page.locator(".mantine-Skeleton-root").first().waitFor({ state: "detached" });
      expect(await flaws(page, view)).to.deep.equal([]);
    }
  });
});
