import { expect } from "chai";
import type { Page } from "playwright-core";
import { knowSender } from "../administration/sender-platforms.ts";
import { aBusiness } from "../support/world.ts";
import { setStage, wide } from "./stage.ts";

const owner = 101;
const patienceMs = 60_000;
const number = {
  ...{ provider: "platform-apicloud", platform_id: "n-1", account_id: "c-1" },
  ...{ phone: "59171111111", token: "t-1" },
};

/** A new business as an installation creates it, with nothing but an administrator. */
const empty = aBusiness(1, {
  users: [{ id: owner, name: "Olga Dueña", email: "olga@b1.test", roleId: 1, available: false }],
  ...{ departments: [], steps: [], templates: [], threads: [] },
});

describe("an owner's first hour in the console", () => {
  const stage = setStage({
    viewport: wide,
    businesses: [empty],
    fill: async (world) => {
      await world.rows("delete from senders");
    },
  });

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
  const rowOf = (page: Page, text: string) => page.getByRole("listitem").filter({ hasText: text });
  const choose = async (page: Page, label: string, option: string): Promise<void> => {
    await page.getByRole("combobox", { name: label }).first().click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const phoneOf = (n: number): string => `5917200${String(n).padStart(4, "0")}`;

  it("shows the next step on a phone, too", async () => {
    const page = await stage.seat(owner);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("link", { name: /Conecta un número/ }).waitFor();
    expect(await page.getByRole("heading", { level: 1 }).count()).to.equal(1);
  });

  it("says at the fields what the platform does not accept of a number", async () => {
    await knowSender(stage.world, number);
    const page = await stage.seat(owner, "settings/numbers?sender=new");
    const save = async (phone: string, token: string): Promise<void> => {
      await page.getByLabel("Número de teléfono").fill(phone);
      await page.getByLabel("Id del número").fill(number.platform_id);
      await page.getByLabel("WhatsApp Business Account ID").fill(number.account_id);
      await page.getByLabel("Token de acceso").fill(token);
      await button(page, "Guardar").click();
    };
    await save(number.phone, "otro");
    await page.getByText("La plataforma no acepta este token").waitFor();
    await save("59170000000", number.token);
    await page.getByText("Escribe el número con su código de país").waitFor();
    expect(await page.getByLabel("Número de teléfono").getAttribute("aria-invalid")).to.equal("true");
  });

  it("saves one record for a double click while the network is slow", async () => {
    const page = await stage.seat(owner, "settings/articles?record=new");
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let posts = 0;
    await page.route("**/admin/articles", async (route) => {
      if (route.request().method() === "POST") {
        posts += 1;
        await held;
      }
      await route.continue();
    });
    await page.getByRole("textbox", { name: /^Nombre/ }).fill("Salteña");
    const price = page.getByRole("textbox", { name: /^Precio/ });
    await price.fill("8");
    // Both submissions come before the page is rendered again.
    await price.evaluate((field) => {
      const { form } = field as unknown as { form: { requestSubmit(): void } };
      form.requestSubmit();
      form.requestSubmit();
    });
    release();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(posts).to.equal(1);
    await stage.world.rows("delete from articles where name = 'Salteña'");
  });

  it("asks before typed text of a template is lost", async () => {
    const page = await stage.seat(owner, "settings/templates/new");
    await page.getByLabel("Cuerpo").fill("Hola, ya abrimos.");
    await link(page, "Bandeja").click();
    await page.getByText("¿Descartar los cambios?").waitFor();
    await button(page, "Seguir editando").click();
    expect(await page.getByLabel("Cuerpo").inputValue()).to.equal("Hola, ya abrimos.");
    await link(page, "Bandeja").click();
    await button(page, "Descartar").click();
    await page.waitForURL(/inbox/);
  });

  it("leads from an empty business to a campaign, an answer and an order", async () => {
    const page = await stage.seat(owner);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));

    // The owner adds a number, as the guide says.
    await knowSender(stage.world, number);
    await stage.world.control("POST", "/reviews", { outcome: "APPROVED", delay_ms: 0 });
    await page.getByRole("link", { name: /Conecta un número/ }).click();
    await button(page, "Agregar número").click();
    await page.getByLabel("Número de teléfono").fill(number.phone);
    await page.getByLabel("Id del número").fill(number.platform_id);
    await page.getByLabel("WhatsApp Business Account ID").fill(number.account_id);
    await page.getByLabel("Token de acceso").fill(number.token);
    await button(page, "Guardar").click();
    await rowOf(page, "+59171111111").getByText("Listo").waitFor();

    // The owner adds a department, and a step by which the bot hands a chat over to the department.
    await link(page, "Departamentos").click();
    await link(page, "Nuevo departamento").click();
    await page.getByLabel("Nombre").fill("Ventas");
    await button(page, "Guardar").click();
    await link(page, "Pasos").click();
    await button(page, "Crear el primer paso").click();
    await page.getByRole("textbox", { name: /^Nombre/ }).fill("Hablar con ventas");
    await choose(page, "Tipo", "Ticket");
    await choose(page, "Departamento", "Ventas");
    await button(page, "Guardar").click();
    await page.getByRole("treeitem", { name: /^Hablar con ventas/ }).waitFor();

    // The owner adds an article.
    await link(page, "Artículos").click();
    await button(page, "Nuevo artículo").click();
    await page.getByRole("textbox", { name: /^Nombre/ }).fill("Api con pastel");
    await page.getByRole("textbox", { name: /^Precio/ }).fill("12,50");
    await button(page, "Guardar").click();
    await rowOf(page, "Api con pastel").waitFor();

    // The owner creates a template, which the platform approves.
    await link(page, "Plantillas").click();
    await link(page, "Nueva plantilla").click();
    await page.getByLabel("Nombre").fill("Oferta");
    await page.getByLabel("Cuerpo").fill("Hola {{1}}, hoy hay api con pastel.");
    await page.getByLabel("Ejemplo de {{1}}").fill("Ana");
    await button(page, "Enviar a aprobación").click();
    await rowOf(page, "Oferta").getByText("Aprobada").waitFor();

    // The owner sends a campaign to the customers in a file.
    await link(page, "Campañas").click();
    await button(page, "Nueva campaña").first().click();
    await page.getByLabel("Nombre de la campaña").fill("Apertura");
    await choose(page, "Plantilla", "Oferta");
    await choose(page, "Paso", "Hablar con ventas");
    await button(page, "Siguiente").click();
    await page.getByText("Desde un archivo").click();
    const picture = { name: "foto.png", mimeType: "image/png", buffer: Buffer.from("89504e470d0a1a0a0000000d", "hex") };
    await page.locator("input[type=file]").setInputFiles(picture);
    await page.getByRole("alert").getByText("guárdalo como CSV").waitFor();
    const rows = Array.from({ length: 40 }, (_, n) => `${phoneOf(n)};Cliente ${n}`);
    const buffer = Buffer.from(["Teléfono;Nombre", ...rows].join("\n"));
    await page.locator("input[type=file]").setInputFiles({ name: "clientes.csv", mimeType: "text/csv", buffer });
    await button(page, "Usar estas filas").click();
    await page.getByText("40 destinatarios").waitFor({ timeout: patienceMs });
    await choose(page, "Dato para 1", "Nombre");
    await button(page, "Siguiente").click();
    await page.getByText("Hola Cliente 7, hoy hay api con pastel.").waitFor();
    await button(page, "Siguiente").click();
    await button(page, "Enviar ahora").click();
    await page.getByText("Terminada").waitFor({ timeout: patienceMs });

    // A customer answers, and gets an answer.
    await stage.world.control("POST", `/customers/${phoneOf(7)}/say`, { to: number.platform_id, text: "¡Quiero dos!" });
    await link(page, "Bandeja").click();
    await page.getByRole("list", { name: "Chats" }).getByRole("listitem").filter({ hasText: "¡Quiero dos!" }).click();
    await page.getByRole("log", { name: "Mensajes" }).getByText("¡Quiero dos!").waitFor();
    await page.getByRole("textbox", { name: "Mensaje" }).fill("¡Anotado!");
    await button(page, "Enviar").click();
    await page.getByRole("log", { name: "Mensajes" }).getByText("¡Anotado!").waitFor();

    // The customer's wish becomes an order, and the board shows its exact total.
    await page.getByRole("link", { name: "Nuevo pedido" }).click();
    const panel = page.getByRole("dialog");
    await panel.getByText(/Cliente 7/).waitFor();
    await panel.getByRole("combobox", { name: "Producto", exact: true }).click();
    await page.getByRole("option", { name: /Api con pastel/ }).click();
    await panel.getByRole("textbox", { name: /^Cantidad/ }).fill("2");
    await button(page, "Añadir").click();
    await button(page, "Crear pedido").click();
    await page.getByRole("dialog", { name: /^Pedido \d+$/ }).waitFor();
    const order = page.getByRole("list", { name: "Pendientes" }).getByRole("listitem").filter({ hasText: "Cliente 7" });
    await order.getByText(/25[.,]00/).waitFor();

    expect(await stage.world.control("GET", `/messages?to=${phoneOf(7)}`)).to.have.length(2);
    expect(problems).to.deep.equal([]);
  });
});
