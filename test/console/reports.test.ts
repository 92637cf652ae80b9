import { readFile } from "node:fs/promises";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { aCampaign, anAccount, anAd } from "../ads/support.ts";
import { addConversation, addRecord, addTicket, assignTag, csvRecordsOf } from "../reports/support.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread, type World } from "../support/world.ts";
import { flaws } from "./axe.ts";
import { setStage, wide } from "./stage.ts";

const [admin, agent] = [101, 102];
const march = "from=2026-03-01&to=2026-03-31";
const dayOf = (day: number): string => `2026-03-${String(day).padStart(2, "0")}T16:00:00Z`;

async function fill(world: World): Promise<void> {
  const add = (amount: number, changes: Parameters<typeof addRecord>[2] = {}) =>
    addRecord(world, 1, { amount, ...changes });
  await add(1_000.1, { agent_id: agent, at: dayOf(3) });
  await add(234.26, { ad_id: "111", at: dayOf(10) });
  await add(0.07, { at: dayOf(31) });
  await add(77, { ad_id: "112", at: dayOf(12) });
  await add(5_000, { at: "2026-02-10T16:00:00Z" });
  await add(310.55, { type: "quotation", closed: false, source: "pdf", at: dayOf(5), agent_id: agent });
  await addRecord(world, 2, { amount: 70.7, at: dayOf(10) });
  for (let n = 0; n < 5; n += 1) await addConversation(world, 1, { at: dayOf(8), ai: 40.5 });
  await addTicket(world, 1, "completed", { at: dayOf(4) });
  await assignTag(world, 1, "Mayorista", 3);
  await assignTag(world, 1, "Reclamo", 12);
  await addRecord(world, 3, { amount: 999 });
}

describe("the console's report page", () => {
  const campaign = aCampaign("11", [
    [anAd("111", { "2026-03-02": "10.00", "2026-03-30": "5.50", "2026-02-28": "99.00" })],
    [anAd("112", { "2026-03-15": "4.00" })],
  ]);
  const own = aBusiness(1, {
    threads: [aThread(101)],
    flags: { timezone: "America/La_Paz", group_shared_report: [1, 2], ad_account_for_report: "act_1" },
    ads: { token: "ads-token-1", defaultAccountId: "act_1", accounts: [anAccount("act_1", [campaign])] },
  });
  const inGroup = aBusiness(2, { threads: [aThread(201)] });
  const kept = aBusiness(3, { threads: [aThread(301)], flags: { reports_for: "administrators" }, ads: null });
  const stage = setStage({ viewport: wide, businesses: [own, inGroup, kept], fill });

  const seat = (userId: number, query = march) => stage.seat(userId, `reports?${query}`);
  /** The texts of the cells of a table. */
  const rowsOf = async (page: Page, name: string): Promise<string[][]> => {
    const table = page.getByRole("table", { name });
    await table.waitFor();
    return await table
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent ?? "")));
  };
  const tile = (page: Page, name: string) =>
    page.locator("dl > div").filter({ has: page.getByText(name, { exact: true }) });
  const plain = (text: string | null): string => (text ?? "").replaceAll(/[\u00a0\u202f]/g, " ");
  const money = (amount: number): string =>
    plain(new Intl.NumberFormat("es", { style: "currency", currency: "BOB", useGrouping: "always" }).format(amount));

  it("shows the exact figures of the shared report by business and in total", async () => {
    const period = { startDate: "2026-03-01", endDate: "2026-03-31" };
    const { json } = await stage.world.post("/empresas/data-report/multi", { businessId: 1, ...period });
    const [first, second] = json.data;
    expect([first.salesAmount, second.salesAmount]).to.deep.equal([1_311.43, 70.7]);
    const page = await seat(admin);
    await tile(page, "Ventas").waitFor();
    const together = plain(await tile(page, "Ventas").textContent());
    expect(together).to.include(money(1_382.13)).and.to.include("5 ventas");
    expect(together, "beside 5000 of the 31 days before").to.include("72,4 % menos");
    await page.getByRole("tab", { name: "Negocios" }).click();
    const rows = (await rowsOf(page, "Por negocio")).map((cells) => cells.map(plain));
    const cells = (report: typeof first) => [
      report.data.nombre,
      money(report.salesAmount),
      String(report.salesCount),
      money(report.quotationsAmount),
      String(report.quotationsCount),
      String(report.conversaciones),
    ];
    expect(rows.map((row) => row.slice(0, 6))).to.deep.equal([cells(first), cells(second)]);
    await page.getByRole("combobox", { name: "Negocio", exact: true }).click();
    await page.getByRole("option", { name: "Negocio 1" }).click();
    await eventually(async () => plain(await tile(page, "Ventas").textContent()).includes(money(first.salesAmount)));
    expect(plain(await tile(page, "Conversión a venta").textContent())).to.include(
      `${String(first.salesConversionRate).replace(".", ",")} %`,
    );
    expect(page.url()).to.match(/by=businesses.*business=1|business=1.*by=businesses/);
  });

  it("shows the figure of a bar under the pointer, which is also in the table", async () => {
    const page = await seat(admin, `${march}&business=1`);
    const rows = (await rowsOf(page, "Día por día")).map((cells) => cells.map(plain));
    expect(rows.find(([day]) => day === "3 mar 2026")?.[1]).to.equal(money(1_000.1));
    const chart = page.getByRole("img", { name: /Monto de ventas, Día por día/ });
    await chart.locator("svg").waitFor();
    const box = await chart.boundingBox();
    if (!box) throw new Error("there is no chart");
    // Points at the middle of bar 3 of 31. The labels of the axis take about 50 pixels on the left.
    const left = box.x + 50;
    await page.mouse.move(left + ((box.width - 70) / 31) * 2.5, box.y + 150);
    await eventually(async () => plain(await chart.textContent()).includes(`Monto de ventas: ${money(1_000.1)}`));
  });

  it("sorts by agent, tag and ad, and keeps period, tab and order in the page's URL", async () => {
    const page = await seat(admin, `${march}&by=tags`);
    expect((await rowsOf(page, "Etiquetas más asignadas")).map(([name]) => name)).to.deep.equal([
      "Reclamo",
      "Mayorista",
    ]);
    await page.getByRole("button", { name: "Veces asignada" }).click();
    await eventually(async () => (await rowsOf(page, "Etiquetas más asignadas"))[0]?.[0] === "Mayorista");
    await page.reload();
    expect((await rowsOf(page, "Etiquetas más asignadas")).map(([name]) => name)).to.deep.equal([
      "Mayorista",
      "Reclamo",
    ]);
    expect(await page.getByLabel("Desde").inputValue()).to.equal("01/03/2026");
    // The format of days depends on the console's language, not on the browser's.
    await page.evaluate(`localStorage.setItem("recado.language", "en")`);
    await page.reload();
    await eventually(async () => (await page.getByLabel("From", { exact: true }).inputValue()) === "03/01/2026");
    await page.evaluate(`localStorage.setItem("recado.language", "es")`);
    await page.reload();
    await page.getByRole("tab", { name: "Agentes" }).click();
    const [first] = (await rowsOf(page, "Por agente")).map((cells) => cells.map(plain));
    expect(first?.slice(0, 7)).to.deep.equal(["Ana Agente", "Negocio 1", money(1_000.1), "1", money(310.55), "1", "1"]);
    await page.getByRole("tab", { name: "Anuncios" }).click();
    const ads = (await rowsOf(page, "Por anuncio")).map((cells) => cells.map(plain));
    expect(ads.map(([name, , amount, sales, spend]) => [name, amount, sales, spend])).to.deep.equal([
      ["Anuncio 111111", money(234.26), "1", "15,50 US$"],
      ["Anuncio 112112", money(77), "1", "4,00 US$"],
    ]);
  });

  it("shows what campaigns and ad sets spent and sold in the period", async () => {
    const page = await seat(admin, `${march}&by=campaigns`);
    const spent = async (table: string) => (await rowsOf(page, table)).map((cells) => cells.map(plain).slice(0, 4));
    expect(await spent("Campañas de anuncios")).to.deep.equal([["Campaña 11Activa", "19,50 US$", "2", "9,75 US$"]]);
    await page.getByRole("button", { name: "Campaña 11" }).click();
    expect(await spent("Conjuntos de anuncios")).to.deep.equal([
      ["Conjunto 1", "15,50 US$", "1", "15,50 US$"],
      ["Conjunto 2", "4,00 US$", "1", "4,00 US$"],
    ]);
    await page.getByRole("button", { name: "Todas las campañas" }).click();
    await page.getByRole("table", { name: "Campañas de anuncios" }).waitFor();
  });

  it("exports the shown figures as CSV, and shares them by link", async () => {
    const page = await seat(admin, `${march}&by=agents&business=1`);
    await rowsOf(page, "Por agente");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Exportar CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).to.equal("informe-agentes-2026-03-01-2026-03-31.csv");
    const [head = [], ...lines] = csvRecordsOf(await readFile(await download.path(), "utf8"));
    expect(lines.map((line) => [line[head.indexOf("agente")], line[head.indexOf("ventasAmount")]])).to.deep.equal([
      ["Ana Agente", "1000.1"],
    ]);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Compartir" }).click();
    await page.getByRole("menuitem", { name: "Copiar enlace a esta vista" }).click();
    await page.getByRole("button", { name: "Enlace copiado" }).waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    await page.goto(link);
    expect((await rowsOf(page, "Por agente")).map(([name]) => name)).to.deep.equal(["Ana Agente"]);
    await page.getByRole("button", { name: "Compartir" }).click();
    const print = await page.getByRole("menuitem", { name: "Abrir el informe para imprimir" }).getAttribute("href");
    await page.goto(`${stage.world.api}${print}`);
    expect(await page.title()).to.include("Negocio 1");
  });

  it("shares a campaign whose id is too long for a number", async () => {
    const id = "120210000000000001";
    const page = await seat(admin, `${march}&by=campaigns&campaign=%22${id}%22`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Compartir" }).click();
    await page.getByRole("menuitem", { name: "Copiar enlace a esta vista" }).click();
    await page.getByRole("button", { name: "Enlace copiado" }).waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    const asked = page.waitForRequest((request) => request.url().includes(`/empresas/campaigns/1/${id}?`));
    await page.goto(link);
    await asked;
  });

  it("keeps the loaded campaigns if loading more of them fails", async () => {
    const page = await seat(admin);
    let asked = 0;
    await page.route(/\/empresas\/campaigns\/1\?/, async (route) => {
      asked += 1;
      if (asked > 1) return route.fulfill({ status: 403, json: {} });
      const response = await route.fetch();
      return route.fulfill({ response, json: { ...(await response.json()), next: "more" } });
    });
    await page.getByRole("tab", { name: "Publicidad" }).click();
    await page.getByRole("button", { name: "Ver más campañas" }).click();
    await page.getByRole("alert").waitFor();
    expect(await rowsOf(page, "Campañas de anuncios")).to.have.length(1);
    await page.getByRole("button", { name: "Ver más campañas" }).waitFor();
  });

  it("says when there are no figures, and shows none to users without access", async () => {
    const page = await seat(301, "from=2025-03-01&to=2025-03-31");
    await page.getByText(/No hay conversaciones, ventas ni cotizaciones en este periodo/).waitFor();
    await page.getByRole("tab", { name: "Publicidad" }).click();
    await page.getByText("El negocio aún no está conectado con la plataforma de anuncios.").waitFor();
    await page.getByRole("tab", { name: "Anuncios" }).click();
    await page.getByText("Ninguna cuenta de anuncios está elegida para el informe.").waitFor();
    const other = await seat(302);
    await other.getByText("Esta pantalla es para administradores.").waitFor();
    expect(await other.getByRole("link", { name: "Informes" }).count()).to.equal(0);
    expect(await other.getByText(/999/).count()).to.equal(0);
  });

  it("starts at its top on a phone and shows the open tab, even one of the last", async () => {
    const page = await stage.visitor();
    await page.setViewportSize({ width: 360, height: 500 });
    const token = await stage.world.sessionToken(admin);
    await page.context().addCookies([{ name: "recado_session", value: token, url: stage.world.api }]);
    await page.goto(`${stage.world.api}/console/reports?${march}&by=ads`);
    const tab = page.getByRole("tab", { name: "Publicidad", exact: true });
    await tab.waitFor();
    await eventually(async () => {
      const box = await tab.boundingBox();
      return box !== null && box.x >= 0 && box.x + box.width <= 360;
    });
    const furthest = "Math.max(...[...document.querySelectorAll('*')].map(({ scrollTop }) => scrollTop))";
    expect(await page.evaluate(furthest)).to.equal(0);
  });

  it("passes axe and fits every width, light and dark", async () => {
    const page = await seat(admin);
    for (const view of ["Resumen", "Agentes", "Publicidad"]) {
      await page.getByRole("tab", { name: view }).click();
      await page.getByRole("tabpanel", { name: view }).getByRole("table").first().waitFor();
      await page.locator("figure svg").first().waitFor();
      expect(await flaws(page, view)).to.deep.equal([]);
    }
  });
});
