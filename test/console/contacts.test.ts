import { readFile } from "node:fs/promises";
import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread } from "../support/world.ts";
import { flaws } from "./axe.ts";
import { setStage, wide } from "./stage.ts";

const [admin, agent] = [101, 102];
const patienceMs = 30_000;

const list = (page: Page): Locator => page.getByRole("list", { name: "Contactos", exact: true });
const row = (page: Page, name: string): Locator => list(page).getByRole("listitem").filter({ hasText: name });

describe("the console's contacts", () => {
  const stage = setStage({
    viewport: wide,
    businesses: [
      aBusiness(1, {
        threads: [aThread(101), aThread(102, { name: "Bruno Baca" })],
        tags: [
          { id: 101, name: "VIP" },
          { id: 102, name: "Nuevo" },
        ],
      }),
      aBusiness(2),
    ],
  });

  const seat = (userId: number, view = "contacts") => stage.seat(userId, view);
  const make = async (nombre: string, numero: string, more: object = {}): Promise<number> => {
    const { status, json } = await stage.world.post("/contacts", { nombre, numero, ...more });
    expect(status, JSON.stringify(json)).to.equal(201);
    return json.id;
  };
  const change = async (id: number, body: object): Promise<void> => {
    const headers = { "x-api-key": stage.world.appKey(1), "content-type": "application/json" };
    const url = `${stage.world.api}/contacts/${id}`;
    expect((await fetch(url, { method: "PUT", headers, body: JSON.stringify(body) })).status).to.equal(200);
  };
  const importFile = async (page: Page, lines: readonly string[]): Promise<void> => {
    const buffer = Buffer.from(lines.join("\r\n"), "latin1");
    const file = { name: "clientes.csv", mimeType: "text/csv", buffer };
    await page.locator("input[type=file]").setInputFiles(file);
  };
  const saved = async (page: Page, from: Locator): Promise<string> => {
    const [download] = await Promise.all([page.waitForEvent("download"), from.click()]);
    return readFile(await download.path(), "utf8");
  };

  it("have a panel that a long name does not push out of the screen", async () => {
    const id = await make("Largo".repeat(40), "59171110009");
    const page = await seat(admin, `contacts/${id}`);
    const { x, width } = (await page.getByRole("button", { name: "Cerrar panel" }).boundingBox()) ?? { x: 0, width: 0 };
    expect(x).to.be.greaterThan(0);
    expect(x + width).to.be.at.most(wide.width);
  });

  it("are searched and filtered by the page's URL, open with their chats, and show changes by others", async () => {
    const id = await make("Ñusta Quispe", "59171110001", { tags: [101], campos: { Zona: "Sur" } });
    await make("Otilia Vargas", "59171110002", { opted_out: true });
    const page = await seat(admin, "contacts?tag=101");
    await row(page, "Ñusta Quispe").getByText("+59171110001").waitFor();
    expect(await row(page, "Otilia Vargas").count()).to.equal(0);
    await page.goto(`${stage.world.api}/console/contacts?opted_out=true`);
    await row(page, "Otilia Vargas").getByText("No quiere mensajes").waitFor();
    expect(await row(page, "Ñusta Quispe").count()).to.equal(0);
    await page.goto(`${stage.world.api}/console/contacts`);
    await row(page, "Otilia Vargas").waitFor();
    await page.getByRole("searchbox", { name: "Buscar por nombre o número" }).pressSequentially("ñusta");
    await row(page, "Otilia Vargas").waitFor({ state: "detached" });
    await page.waitForURL(/q=%C3%B1usta/);
    await row(page, "Ñusta Quispe").getByRole("link").press("Enter");
    const panel = page.getByRole("dialog", { name: "Ñusta Quispe" });
    await panel.getByText("Sur", { exact: true }).waitFor();
    await page.waitForURL(new RegExp(`/contacts/${id}\\?q=`));
    await change(id, { nombre: "Ñusta Quispe de Paz" });
    await page.getByRole("dialog", { name: "Ñusta Quispe de Paz" }).waitFor();
    await page.keyboard.press("Escape");
    await row(page, "Ñusta Quispe de Paz").waitFor();
    await page.goto(`${stage.world.api}/console/contacts?q=Bruno`);
    await row(page, "Bruno Baca").getByRole("link").click();
    await page.getByRole("dialog").getByRole("link", { name: "Abrir chat" }).click();
    await page.waitForURL(/\/inbox\/102/);
  });

  it("merge the changes of two editors, and show conflicts", async () => {
    const id = await make("Elena Prado", "59171120001", { campos: { Zona: "Sur", Talla: "M" } });
    const page = await seat(agent, `contacts/${id}`);
    const panel = page.getByRole("dialog", { name: "Elena Prado" });
    await panel.getByRole("button", { name: "Editar" }).click();
    await panel.getByRole("textbox", { name: "Valor de Zona" }).fill("Centro");
    await panel.getByRole("textbox", { name: "Valor de Talla" }).fill("L");
    await panel.getByRole("button", { name: "Agregar campo" }).click();
    await panel.getByRole("textbox", { name: "Nombre del campo" }).last().fill("Plan");
    await panel.getByRole("textbox", { name: "Valor de Plan" }).fill("Oro");
    await change(id, { nombre: "Elena P. Soria", tags: [102], campos: { Zona: "Norte", Talla: "M", Mascota: "Gato" } });
    await page.getByRole("button", { name: "Guardar" }).click();
    const told = page.getByRole("alert").filter({ hasText: "Alguien cambió este contacto" });
    await told.getByText("Zona: «Norte»").waitFor();
    expect(await told.getByRole("listitem").count()).to.equal(1);
    expect(await page.getByRole("textbox", { name: "Valor de Zona" }).inputValue()).to.equal("Centro");
    await told.getByRole("button", { name: "Tomar lo suyo: Zona" }).click();
    await page.getByRole("button", { name: "Guardar" }).click();
    await page.getByRole("button", { name: "Editar" }).waitFor();
    const { json } = await stage.world.get(`/contacts/${id}`);
    expect(json.nombre).to.equal("Elena P. Soria");
    expect(json.campos).to.deep.equal({ Zona: "Norte", Talla: "L", Mascota: "Gato", Plan: "Oro" });
    expect(json.tags.map((tag: { id: number }) => tag.id)).to.deep.equal([102]);
    await page.getByRole("button", { name: "Editar" }).click();
    await page.getByRole("textbox", { name: "Valor de Plan" }).fill("Plata");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Seguir editando" }).click();
    expect(await page.getByRole("textbox", { name: "Valor de Plan" }).inputValue()).to.equal("Plata");
  });

  it("are created once, get a first template, and are erased after a typed confirmation", async () => {
    await make("Primera Dueña", "59171130001");
    const page = await seat(admin);
    await page.getByRole("link", { name: "Nuevo contacto" }).click();
    await page.getByRole("textbox", { name: "Nombre", exact: true }).fill("Fidel Nuevo");
    await page.getByRole("textbox", { name: "Número" }).fill("+591 711-30001");
    await page.getByRole("button", { name: "Crear contacto" }).click();
    await page.getByText("Otro contacto ya tiene este número.").first().waitFor();
    await page.getByRole("textbox", { name: "Número" }).fill("+591 711-30002");
    await page.getByRole("button", { name: "Crear contacto" }).dblclick();
    const panel = page.getByRole("dialog", { name: "Fidel Nuevo" });
    await panel.getByText("Todavía no hay chats.").waitFor();
    const [made] = await stage.world.rows<{ id: string }>("select id from contacts where phone = '59171130002'");
    await page.waitForURL(new RegExp(`/contacts/${made?.id}$`));
    await panel.getByRole("button", { name: "Enviar plantilla" }).click();
    await page.getByRole("combobox", { name: "Plantilla" }).click();
    await page.getByRole("option", { name: "Plantilla 101", exact: true }).click();
    await page.getByLabel("Valor de 1").fill("Fidel");
    await page.getByLabel("Valor de 2").fill("P-9");
    await page.getByText("Hola Fidel, tu pedido P-9 está listo.").waitFor();
    await page.getByRole("button", { name: "Enviar", exact: true }).dblclick();
    await page.waitForURL(/\/inbox\/\d+/);
    expect(await stage.world.control("GET", "/messages?to=59171130002")).to.have.length(1);

    await page.goto(`${stage.world.api}/console/contacts/${made?.id}`);
    await panel.getByRole("button", { name: "Borrar contacto" }).click();
    const dialog = page.getByRole("dialog", { name: "Borrar a Fidel Nuevo" });
    await dialog.getByText("los textos y archivos de todos sus mensajes").waitFor();
    expect(await dialog.getByRole("button", { name: "Borrar para siempre" }).isDisabled()).to.equal(true);
    await dialog.getByRole("textbox").fill("borrar");
    await dialog.getByRole("button", { name: "Borrar para siempre" }).click();
    await page.getByText("El contacto fue borrado.").waitFor();
    await row(page, "Primera Dueña").waitFor();
    expect(await row(page, "Fidel Nuevo").count()).to.equal(0);
    expect((await stage.world.get(`/contacts/${made?.id}`)).status).to.equal(404);
  });

  it("take no input while they are saved, and keep the focus if that fails", async () => {
    const id = await make("Sin Prisa", "59171150001");
    const page = await seat(admin, `contacts/${id}`);
    await page.getByRole("button", { name: "Editar" }).click();
    const name = page.getByRole("textbox", { name: "Nombre", exact: true });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(
      `**/contacts/${id}`,
      async (route) => {
        await held;
        await route.abort("connectionreset");
      },
      { times: 1 },
    );
    await name.fill("Con Prisa");
    const asked = page.waitForRequest((request) => request.method() === "PUT");
    await name.press("Enter");
    await asked;
    await page.waitForTimeout(200);
    await page.keyboard.type(" y más");
    expect(await name.inputValue()).to.equal("Con Prisa");
    release();
    await page.getByText("No hay conexión con el servicio").waitFor();
    await page.keyboard.press("End");
    await page.keyboard.type(" y más");
    expect(await name.inputValue()).to.equal("Con Prisa y más");
  });

  it("are no longer shown when a colleague erases them", async () => {
    const id = await make("Olvido Ruiz", "59171150003", { campos: { Secreto: "Confidencial" } });
    const page = await seat(agent, `contacts/${id}`);
    await page.getByText("Confidencial").waitFor();
    const headers = { authorization: `Bearer ${await stage.world.sessionToken(admin)}` };
    expect((await fetch(`${stage.world.api}/contacts/${id}`, { method: "DELETE", headers })).ok).to.equal(true);
    await page.getByText("Este contacto no existe o fue borrado.").waitFor();
    expect(await page.getByText("Confidencial").count()).to.equal(0);
  });

  it("are imported from a file of thousands of rows and exported; refused rows are returned with reasons", async () => {
    await make("Ya Estaba", "59172000000");
    const page = await seat(admin);
    await page.getByRole("link", { name: "Importar" }).click();
    const rows = Array.from({ length: 3_000 }, (_, n) => `5917${2_000_000 + n};Niña ${n};;Sur;VIP`);
    const wrong = [";Sin número;;Sur;", "12;Corto;;Sur;", "59179999999;Etiqueta;;Sur;Nadie la conoce"];
    await importFile(page, ["Teléfono;Nombre;Nota interna;Barrio;Etiquetas", ...rows, ...wrong]);
    await page.getByText("clientes.csv: 3003 filas").waitFor();
    await page.getByRole("combobox", { name: "Guardar Nota interna como" }).click();
    await page.getByRole("option", { name: "No importar" }).click();
    await page.getByRole("textbox", { name: "Nombre del campo para Barrio" }).fill("Zona");
    await page.getByRole("cell", { name: "Niña 3", exact: true }).waitFor();
    await page.getByRole("button", { name: "Importar 3003 filas" }).click();
    // The import continues while the user works elsewhere, and a page that is opened later shows the result.
    await page.getByRole("button", { name: "Cerrar panel" }).click();
    await page.getByRole("link", { name: "Bandeja" }).click();
    await page.getByRole("link", { name: "Contactos" }).click();
    await page.getByRole("link", { name: "Importar", exact: true }).click();
    await page.getByText("clientes.csv fue importado.").waitFor({ timeout: patienceMs });
    await page.reload();
    await page.getByText("clientes.csv fue importado.").waitFor();
    const counts = await page.getByRole("dialog").locator("dd").allTextContents();
    expect(counts.map((text) => text.replace(/\D/g, ""))).to.deep.equal(["2999", "1", "0", "3"]);
    const file = await saved(page, page.getByRole("link", { name: "Descargar 3 filas rechazadas" }));
    expect(file.trim().split("\r\n")).to.deep.equal([
      "motivo,numero,nombre,Zona,tags",
      "numero es requerido,,Sin número,Sur,",
      "numero no es válido,12,Corto,Sur,",
      "un tag no existe,59179999999,Etiqueta,Sur,Nadie la conoce",
    ]);
    await page.getByRole("button", { name: "Ver contactos" }).click();
    await row(page, "Niña 2999").waitFor();
    await list(page).hover();
    await eventually(async () => {
      await page.mouse.wheel(0, 20_000);
      const names = await list(page)
        .getByText(/^Niña \d+$/)
        .allTextContents();
      return names.some((name) => Number(name.slice("Niña ".length)) <= 2_700);
    }, patienceMs);
    await page.goto(`${stage.world.api}/console/contacts?q=Ni%C3%B1a+299`);
    await row(page, "Niña 2990").waitFor();
    const exported = await saved(page, page.getByRole("button", { name: "Exportar" }));
    expect(exported.trim().split("\n")).to.have.length(12);
    expect(exported).to.match(/,Niña 2990,59172002990,false,VIP,[^,]+,Sur/);
  });

  it("keep every letter of a large file", async () => {
    const name = "ñ".repeat(200);
    const rows = Array.from({ length: 1_300 }, (_, n) => `5917${3_000_000 + n},${name}`);
    const text = ["numero,nombre", ...rows].join("\r\n");
    // The first 512 KiB of the file end in the middle of a letter. Decoding this part alone would break the letter.
    expect(Buffer.from(text)[512 * 1024]).to.equal(Buffer.from("ñ")[1]);
    const page = await seat(admin, "contacts/import");
    const file = { name: "letras.csv", mimeType: "text/csv", buffer: Buffer.from(text) };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByRole("button", { name: "Importar 1300 filas" }).click();
    await page.getByText("letras.csv fue importado.").waitFor({ timeout: patienceMs });
    const found = await stage.world.rows("select from contacts where phone like '59173%' and name = $1", [name]);
    expect(found).to.have.length(1_300);
  });

  it("pass axe and fit every width, light and dark", async () => {
    const id = await make("Una Persona De Nombre Larguísimo Que No Cabe En Ningún Lado", "59171140005", {
      tags: [101, 102],
      campos: { "Fecha de nacimiento": "1990-01-31", Nota: "x".repeat(300) },
      opted_out: true,
    });
    const page = await seat(admin);
    for (const view of ["contacts", `contacts/${id}`, "contacts/new", "contacts/import"]) {
      await page.goto(`${stage.world.api}/console/${view}`);
      await row(page, "Larguísimo").first().waitFor();
      if (view !== "contacts") await page.getByRole("dialog").getByRole("button").first().waitFor();
      await page.waitForLoadState("networkidle");
      expect(await flaws(page, view, [1440, 360])).to.deep.equal([]);
    }
  });
});
