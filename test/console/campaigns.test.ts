import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { eventually } from "../support/wait.ts";
import { aBusiness, startWorld, type World } from "../support/world.ts";
import { objections } from "./axe.ts";
import { buildConsole, demandBrowser, launch, lineTo, type Seat, seatOf } from "./browser.ts";

const [admin, agent] = [101, 102];
const patienceMs = 60_000;

describe("the console's campaigns", function () {
  this.timeout(150_000);
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

  const seat = async (userId: number, view = "campaigns", at?: string): Promise<Page> => {
    const opened = await seatOf(browser, world, userId, view, at);
    seats.push(opened);
    return opened.page;
  };
  const phoneOf = (n: number): string => `59171${String(n).padStart(6, "0")}`;
  const fileOf = (lines: readonly string[]) => ({
    name: "clientes.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(["Teléfono;Nombre;Pedido", ...lines].join("\r\n"), "latin1"),
  });
  const choose = async (page: Page, label: string, option: string): Promise<void> => {
    await page
      .getByRole("combobox", { name: label })
      .or(page.getByRole("textbox", { name: label }))
      .first()
      .click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  /** To the step in which the audience is chosen. */
  const begin = async (page: Page, name: string): Promise<void> => {
    await page.getByLabel("Nombre de la campaña").fill(name);
    await choose(page, "Plantilla", "Plantilla 101");
    await choose(page, "Paso", "Ventas");
    await page.getByRole("button", { name: "Siguiente", exact: true }).click();
  };
  const fill = async (page: Page): Promise<void> => {
    await choose(page, "Dato para 1", "Nombre");
    await choose(page, "Dato para 2", "Pedido");
  };
  const sentTo = async (phone: string): Promise<unknown[]> => world.control("GET", `/messages?to=${phone}`);

  it("go from a file of 500 rows to the last message, each sent once", async () => {
    const page = await seat(admin);
    await page.getByRole("button", { name: "Nueva campaña" }).click();
    await begin(page, "Regreso a clases");
    await page.getByText("Desde un archivo").click();
    const rows = Array.from({ length: 500 }, (_, n) => `${phoneOf(n)};Niño ${n};P-${n}`);
    await page
      .locator("input[type=file]")
      .setInputFiles(fileOf([...rows, ";Sin número;P-x", `${phoneOf(3)};Otra vez;P-3`, "12;Corto;P-y"]));
    await page.getByText("clientes.csv: 503 filas").waitFor();
    await page.getByRole("button", { name: "Usar estas filas" }).click();
    await page.getByText("500 destinatarios").waitFor({ timeout: patienceMs });
    for (const reason of ["Sin número", "Número repetido", "El número no es válido"])
      await page.getByRole("cell", { name: reason, exact: true }).first().waitFor();
    await fill(page);
    await page.getByRole("button", { name: "Siguiente", exact: true }).click();
    await page.getByText("500 mensajes").waitFor();
    await page.getByText("Hola Niño 7, tu pedido P-7 está listo.").waitFor();
    await page.getByRole("button", { name: "Siguiente", exact: true }).click();
    await page.getByRole("button", { name: "Enviar ahora" }).dblclick();
    await page.getByRole("heading", { name: "Regreso a clases" }).waitFor();
    await page.getByText("Terminada").waitFor({ timeout: patienceMs });
    expect(await world.rows("select count(*)::int as n from campaigns")).to.deep.equal([{ n: 1 }]);
    for (const n of [0, 3, 499]) expect(await sentTo(phoneOf(n)), phoneOf(n)).to.have.length(1);
  });

  it("are paused, resumed and cancelled, and seen to be by others", async () => {
    const [one, other] = [await seat(admin, "campaigns/new"), await seat(admin)];
    await begin(one, "Para después");
    await one.getByText("Desde un archivo").click();
    await one.locator("input[type=file]").setInputFiles(fileOf([`${phoneOf(900)};Ana;P-1`, `${phoneOf(901)};Eva;P-2`]));
    await one.getByRole("button", { name: "Usar estas filas" }).click();
    await one.getByText("2 destinatarios").waitFor();
    await fill(one);
    await one.getByRole("button", { name: "Siguiente", exact: true }).click();
    await one.getByRole("button", { name: "Siguiente", exact: true }).click();
    await one.getByLabel("Empezar el").fill("2099-01-31T09:30");
    await one.getByRole("button", { name: "Programar" }).click();
    await one.getByRole("button", { name: "Pausar" }).click();
    await one.getByRole("button", { name: "Reanudar" }).waitFor();
    const row = other.getByRole("listitem").filter({ hasText: "Para después" });
    await row.getByText("En pausa").waitFor();
    await one.getByRole("button", { name: "Reanudar" }).click();
    await one.getByRole("button", { name: "Cancelar campaña" }).click();
    await one.getByRole("button", { name: "Sí, hacerlo" }).click();
    await one.getByText("Cancelada", { exact: true }).waitFor();
    expect(await sentTo(phoneOf(900))).to.have.length(0);
    expect(await world.rows("select starts_at from campaigns where name = 'Para después'")).to.deep.equal([
      { starts_at: new Date("2099-01-31T13:30:00Z") },
    ]);
  });

  it("is registered once where the answer is lost, and what was entered survives a reload", async () => {
    const line = await lineTo(world.api);
    try {
      const page = await seat(admin, "campaigns/new", line.url);
      await begin(page, "Una sola vez");
      await page.reload();
      expect(await page.getByLabel("Nombre de la campaña").inputValue()).to.equal("Una sola vez");
      await page.getByRole("button", { name: "Siguiente", exact: true }).click();
      await page.getByText("Desde un archivo").click();
      await page.locator("input[type=file]").setInputFiles(fileOf([`${phoneOf(950)};Ana;P-1`]));
      await page.getByRole("button", { name: "Usar estas filas" }).click();
      await page.getByText("1 destinatario", { exact: true }).waitFor();
      await fill(page);
      await page.getByRole("button", { name: "Siguiente", exact: true }).click();
      await page.getByRole("button", { name: "Siguiente", exact: true }).click();
      await page.route(
        "**/chats/enviar/masivo/plantilla",
        async (route) => {
          await route.fetch();
          await route.abort("connectionreset");
        },
        { times: 1 },
      );
      await page.getByRole("button", { name: "Enviar ahora" }).click();
      await page.getByRole("alert").waitFor();
      await page.getByRole("button", { name: "Enviar ahora" }).click();
      await page.getByRole("heading", { name: "Una sola vez" }).waitFor();
      await eventually(async () => (await sentTo(phoneOf(950))).length === 1, patienceMs);
      const [{ n } = { n: 0 }] = await world.rows<{ n: number }>(
        "select count(*)::int as n from campaigns where name = 'Una sola vez'",
      );
      expect(n).to.equal(1);
    } finally {
      await line.close();
    }
  });

  it("are not shown to agents, nor to another business", async () => {
    const page = await seat(agent, "inbox");
    await page.getByRole("link", { name: "Bandeja" }).waitFor();
    expect(await page.getByRole("link", { name: "Campañas" }).count()).to.equal(0);
    await page.goto(`${world.api}/console/campaigns/1`);
    await page.getByText("Esta pantalla es para administradores.").waitFor();
    const stranger = await seat(201);
    await stranger.getByText("Todavía no hay campañas").waitFor();
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`have nothing that axe objects to, in ${colorScheme}`, async () => {
      for (const [view, width] of [
        ["campaigns", 1440],
        ["campaigns", 360],
        ["campaigns/new", 1440],
        ["campaigns/new", 360],
        ["campaigns/1", 360],
      ] as const) {
        const page = await seat(admin, view);
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize({ width, height: 800 });
        await page.getByRole("heading").first().waitFor();
        expect(await objections(page), `${view} at ${width}`).to.deep.equal([]);
      }
    });
  }
});
