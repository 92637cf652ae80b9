import { expect } from "chai";
import type { Page } from "playwright-core";
import { sandboxAccountsOf } from "../../src/fixtures/businesses/platforms.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness } from "../support/world.ts";
import { axeViolations, flaws } from "./axe.ts";
import { cuttableProxy } from "./browser.ts";
import { setStage, wide } from "./stage.ts";

const [admin, agent] = [101, 102];
const patienceMs = 60_000;

describe("the console's campaigns", () => {
  const stage = setStage({ businesses: [aBusiness(1), aBusiness(2), aBusiness(3)] });

  const seat = (userId: number, view = "campaigns", at?: string) => stage.seat(userId, view, at);
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
  /** Fills in the form's first step and opens the next step, which chooses the audience. */
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
  const sentTo = async (phone: string): Promise<unknown[]> => stage.world.control("GET", `/messages?to=${phone}`);

  it("send one message to each row of a file with 500 rows", async () => {
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
    expect(await stage.world.rows("select count(*)::int as n from campaigns")).to.deep.equal([{ n: 1 }]);
    for (const n of [0, 3, 499]) expect(await sentTo(phoneOf(n)), phoneOf(n)).to.have.length(1);
  });

  it("can be paused, resumed and cancelled, and other browsers show it", async () => {
    const [one, other] = [await seat(admin, "campaigns/new"), await seat(admin)];
    await begin(one, "Para después");
    await one.getByText("Desde un archivo").click();
    await one.locator("input[type=file]").setInputFiles(fileOf([`${phoneOf(900)};Ana;P-1`, `${phoneOf(901)};Eva;P-2`]));
    await one.getByRole("button", { name: "Usar estas filas" }).click();
    await one.getByText("2 destinatarios").waitFor();
    await fill(one);
    await one.getByRole("button", { name: "Siguiente", exact: true }).click();
    await one.getByRole("button", { name: "Siguiente", exact: true }).click();
    await one.getByLabel("Empezar el").fill("31/01/2099");
    await one.getByLabel("Hora", { exact: true }).fill("09:30");
    await one.getByRole("button", { name: "Programar" }).click();
    await one.getByRole("button", { name: "Pausar" }).click();
    await one.getByRole("button", { name: "Reanudar" }).waitFor();
    await one.getByText("En pausa: la pausó alguien de tu equipo.").waitFor();
    const row = other.getByRole("listitem").filter({ hasText: "Para después" });
    await row.getByText("En pausa").waitFor();
    await one.getByRole("button", { name: "Reanudar" }).click();
    await one.getByRole("button", { name: "Cancelar campaña" }).click();
    await one.getByRole("button", { name: "Sí, hacerlo" }).click();
    await one.getByText("Cancelada", { exact: true }).waitFor();
    expect(await sentTo(phoneOf(900))).to.have.length(0);
    expect(await stage.world.rows("select starts_at from campaigns where name = 'Para después'")).to.deep.equal([
      { starts_at: new Date("2099-01-31T13:30:00Z") },
    ]);
  });

  it("are registered once even if the answer is lost, and the form survives a reload", async () => {
    const proxy = await cuttableProxy(stage.world.api);
    try {
      const page = await seat(admin, "campaigns/new", proxy.url);
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
      const [{ n } = { n: 0 }] = await stage.world.rows<{ n: number }>(
        "select count(*)::int as n from campaigns where name = 'Una sola vez'",
      );
      expect(n).to.equal(1);
    } finally {
      await proxy.close();
    }
  });

  it("offer to load the templates again if that failed", async () => {
    const page = await seat(admin);
    const templates = "**/chats/obtener/mensaje/plantilla";
    await page.route(templates, (route) => route.fulfill({ status: 400, json: { error: "no se pudo" } }));
    await page.goto(`${stage.world.api}/console/campaigns/new`);
    const failure = page.getByRole("alert");
    await failure.waitFor();
    await page.unroute(templates);
    await failure.getByRole("button", { name: "Intentar de nuevo" }).click();
    await failure.waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: "Plantilla" }).fill("no hay tal");
    await page.getByText("Ninguna plantilla aprobada coincide.").waitFor();
  });

  it("warn before the start of expected failures, and ask for confirmation", async () => {
    const [number] = sandboxAccountsOf([aBusiness(1)]);
    await stage.world.control("POST", "/accounts", { ...number, quality: "RED", messagingLimit: "TIER_250" });
    try {
      const page = await seat(admin, "campaigns/new");
      await page.emulateMedia({ reducedMotion: "reduce" });
      await begin(page, "Con avisos");
      await page.getByText("Desde un archivo").click();
      const rows = Array.from({ length: 260 }, (_, n) => `${phoneOf(2_000 + n)};Niño ${n};${n < 3 ? "" : `P-${n}`}`);
      await page.locator("input[type=file]").setInputFiles(fileOf(rows));
      await page.getByRole("button", { name: "Usar estas filas" }).click();
      await page.getByText("260 destinatarios").waitFor({ timeout: patienceMs });
      await page.getByText("Falta elegir con qué se llena {{2}}.").waitFor();
      expect(await page.getByRole("button", { name: "Siguiente", exact: true }).isDisabled()).to.equal(true);
      await fill(page);
      await page.getByRole("button", { name: "Siguiente", exact: true }).click();
      await page.getByText("3 de 260 destinatarios tienen problemas").waitFor();
      await page.getByText("3 con un dato vacío").waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
      await page.getByRole("button", { name: "Siguiente", exact: true }).click();
      await page.getByText("deja escribir a 250 personas nuevas en 24 horas y la campaña tiene 260").waitFor();
      await page.getByText("La calidad del número es baja").waitFor();
      await page.getByRole("button", { name: "Enviar ahora" }).click();
      const question = page.getByRole("dialog", { name: "¿Enviar de todos modos?" });
      await question.getByText("3 con un dato vacío").waitFor();
      // While the dialog fades in, its text has too little contrast.
      await eventually(() => page.evaluate<boolean>("document.getAnimations().length === 0"));
      expect(await axeViolations(page)).to.deep.equal([]);
      await question.getByRole("button", { name: "Volver" }).click();
      expect(await stage.world.rows("select from campaigns where name = 'Con avisos'")).to.have.length(0);
      await page.getByRole("button", { name: "Enviar ahora" }).click();
      await question.getByRole("button", { name: "Enviar de todos modos" }).click();
      await page.getByRole("heading", { name: "Con avisos" }).waitFor();
      await page.getByRole("img", { name: "Reparto por estado" }).locator("canvas").waitFor();
    } finally {
      await stage.world.control("POST", "/accounts", number);
    }
  });

  it("are filtered by state and name, which the page's URL keeps", async () => {
    const states = { "Rebaja de mayo": "cancelled", "Rebaja de junio": "paused", Aniversario: "paused" };
    for (const [name, state] of Object.entries(states)) {
      await stage.world.rows(
        `insert into campaigns (business_id, name, user_id, template_id, step_id, sender_id, tags, template, state,
                                starts_at, timezone, total, pause_reason, finished_at)
         select 2, $1, 201, 201, 201, id, '{}', '{}', $2, now(), 'America/La_Paz', 0,
                case when $2 = 'paused' then 'porque sí' end, case when $2 = 'cancelled' then now() end
         from senders where business_id = 2 limit 1`,
        [name, state],
      );
    }
    const page = await seat(201);
    const names = () => page.getByRole("list", { name: "Campañas" }).getByRole("link").allInnerTexts();
    await eventually(async () => (await names()).length === 3);
    await page.getByRole("searchbox", { name: "Buscar por nombre" }).fill("REBAJA");
    await eventually(async () => (await names()).length === 2);
    await choose(page, "Estado", "En pausa");
    await eventually(async () => (await names()).join() === "Rebaja de junio");
    expect(Object.fromEntries(new URL(page.url()).searchParams)).to.deep.equal({ progress: "paused", q: "REBAJA" });
    await page.reload();
    await eventually(async () => (await names()).join() === "Rebaja de junio");
    await page.getByRole("searchbox", { name: "Buscar por nombre" }).fill("nada así");
    await page.getByText("Ninguna campaña coincide.").waitFor();
    await page.getByRole("button", { name: "Quitar filtros" }).click();
    await eventually(async () => (await names()).length === 3);
    expect(await page.getByRole("searchbox", { name: "Buscar por nombre" }).inputValue()).to.equal("");
  });

  it("are shown neither to agents nor to another business", async () => {
    const page = await seat(agent, "inbox");
    await page.getByRole("link", { name: "Bandeja" }).waitFor();
    expect(await page.getByRole("link", { name: "Campañas" }).count()).to.equal(0);
    await page.goto(`${stage.world.api}/console/campaigns/1`);
    await page.getByText("Esta pantalla es para administradores.").waitFor();
    const stranger = await seat(301);
    await stranger.getByText("Todavía no hay campañas").waitFor();
  });

  it("pass axe and fit every width, light and dark", async () => {
    const registered = await stage.world.post("/chats/enviar/masivo/plantilla", {
      ...{ empresa_id: 1, plantilla_id: 101, user_id: admin, step: 101, nombre: "Para mirar" },
      ...{ contacts_id: [101], contacts: [{ nombre: "Ana", numero: phoneOf(950), pedido: "P-1" }] },
      ...{ paramMapping: { "1": "nombre", "2": "pedido" }, schedule_at: "2099-01-01T00:00:00Z" },
    });
    expect(registered.status, registered.text).to.equal(200);
    const page = await seat(admin);
    for (const view of ["campaigns", "campaigns/new", `campaigns/${registered.headers["x-campaign-id"]}`]) {
      await page.setViewportSize(wide);
      await page.goto(`${stage.world.api}/console/${view}`);
      await page.getByRole("heading").first().waitFor();
      expect(await flaws(page, view, [1440, 360])).to.deep.equal([]);
    }
  });
});
