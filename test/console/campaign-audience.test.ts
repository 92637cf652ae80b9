import { expect } from "chai";
import type { Page } from "playwright-core";
import { unguarded } from "../../console/src/shared/csv-guard.ts";
import { csvLine } from "../../src/infra/http/csv.ts";
import { aBusiness } from "../support/world.ts";
import { setStage } from "./stage.ts";

const admin = 101;

describe("the audience of a campaign in the console", () => {
  const stage = setStage({ businesses: [aBusiness(1)] });

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const choose = async (page: Page, label: string, option: string): Promise<void> => {
    await page.getByRole("combobox", { name: label }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const chooseFile = async (page: Page, lines: readonly string[], name = "clientes.csv"): Promise<void> => {
    const buffer = Buffer.from(lines.join("\r\n"));
    await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/csv", buffer });
  };
  /** Fills in the form's first step and opens the next step, which chooses the audience. */
  const begin = async (page: Page): Promise<void> => {
    await page.getByLabel("Nombre de la campaña").fill("Rebajas");
    await choose(page, "Plantilla", "Plantilla 101");
    await choose(page, "Paso", "Ventas");
    await button(page, "Siguiente").click();
  };
  const open = async (): Promise<Page> => {
    const page = await stage.seat(admin, "campaigns/new");
    await begin(page);
    return page;
  };
  const fillAndCheck = async (page: Page, second: string, first = "Nombre"): Promise<void> => {
    await choose(page, "Dato para 1", first);
    await choose(page, "Dato para 2", second);
    await button(page, "Siguiente").click();
  };

  /** Holds back the answer to the next matching request. `pass` releases the answer, and waits 500 ms for the page. */
  const held = (page: Page, matches: (url: URL) => boolean) => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      void page.route(
        matches,
        async (route) => {
          resolve();
          const response = await route.fetch();
          await released;
          // The page may have given the request up.
          await route.fulfill({ response }).catch(() => {});
        },
        { times: 1 },
      );
    });
    const pass = async (): Promise<void> => {
      release();
      await page.waitForTimeout(500);
    };
    return { begun, pass };
  };

  it("shows how many of many recipients have problems", async () => {
    const page = await open();
    await page.route("**/campaigns/preview?check=true", async (route) => {
      const response = await route.fetch();
      const { revision, ...found } = (await response.json()) as { revision: object };
      const many = { ...found, total: 12_500, revision: { ...revision, con_problemas: 2_500, limite_diario: 10_000 } };
      await route.fulfill({ response, json: many });
    });
    await page.getByText("Desde un archivo").click();
    await chooseFile(page, ["Teléfono,Nombre,Pedido", "59171000001,Ana,P-1"]);
    await button(page, "Usar estas filas").click();
    await page.getByText("1 destinatario", { exact: true }).waitFor();
    await fillAndCheck(page, "Pedido");
    await page.getByText("2500 de 12.500 destinatarios tienen problemas").waitFor();
    await page.getByText("escribir a 10.000 personas nuevas en 24 horas y la campaña tiene 12.500").waitFor();
  });

  it("leaves out numbers in scientific notation, which belong to somebody else", async () => {
    const page = await open();
    await page.getByText("Desde un archivo").click();
    const rows = ["59171000011,Ana", '"5,91700123E+11",Eva', "5.917E10,Iris"];
    await chooseFile(page, ["Teléfono,Nombre", ...rows]);
    await button(page, "Usar estas filas").click();
    await page.getByText("1 destinatario", { exact: true }).waitFor();
    expect(await page.getByRole("cell", { name: "El número está en notación científica" }).count()).to.equal(2);
    const eva = await stage.world.rows("select from contacts where business_id = 1 and phone like '%59170012311'");
    expect(eva).to.deep.equal([]);
  });

  it("reads texts that begin with a sign without the apostrophe of exports", async () => {
    const created = await stage.world.post("/contacts", {
      ...{ nombre: "@Carla", numero: "59171000021", campos: { saldo: "-20 Bs", "+puntos": "5" } },
    });
    expect(created.status, created.text).to.equal(201);
    const page = await open();
    await button(page, "Todos los contactos").click();
    await page.getByText(/^\d+ destinatarios$/).waitFor();
    await fillAndCheck(page, "saldo", "nombre");
    await page.getByRole("cell", { name: "Hola @Carla, tu pedido -20 Bs está listo." }).waitFor();
    await button(page, "Atrás").click();
    await page.getByText("Desde un archivo").click();
    await chooseFile(page, ["Teléfono,Nombre,'+puntos", "'+59171000021,'@Carla,'=7"]);
    await button(page, "Usar estas filas").click();
    await page.getByText("1 destinatario", { exact: true }).waitFor();
    await fillAndCheck(page, "+puntos");
    await page.getByRole("cell", { name: "Hola @Carla, tu pedido =7 está listo." }).waitFor();
  });

  it("removes the apostrophe exactly where the service adds one", () => {
    const texts = ["-1", "'-1", "''-1", "=A1", "\u200b@x", "＋1", "\tx", "'x", "O'Neil", "x-1", "", "'"];
    for (const text of texts) {
      const written = csvLine([text])
        .slice(0, -2)
        .replace(/^"(.*)"$/, "$1");
      expect(unguarded(written), JSON.stringify(text)).to.equal(text);
    }
  });

  it("has minutes for its way to the service, when it is checked and when the campaign starts", async () => {
    const page = await stage.seat(admin, "campaigns");
    // The time limits of requests become 20 times shorter.
    await page.addInitScript(`{
      const timeout = AbortSignal.timeout.bind(AbortSignal);
      AbortSignal.timeout = (ms) => timeout(ms / 20);
    }`);
    await page.goto(`${stage.world.api}/console/campaigns/new`);
    await begin(page);
    await page.getByText("Desde un archivo").click();
    await chooseFile(page, ["Teléfono,Nombre,Pedido", "59171000031,Ana,P-1"]);
    await button(page, "Usar estas filas").click();
    await page.getByText("1 destinatario", { exact: true }).waitFor();
    for (const path of ["**/campaigns/preview?check=true", "**/chats/enviar/masivo/plantilla"])
      await page.route(path, (route) => setTimeout(() => void route.continue().catch(() => {}), 3_000));
    await fillAndCheck(page, "Pedido");
    await page.getByText("Todos los mensajes están en orden.").waitFor();
    await button(page, "Siguiente").click();
    await button(page, "Enviar ahora").click();
    await page.getByRole("heading", { name: "Rebajas" }).waitFor();
  });

  it("is the one chosen last, even if an earlier one arrives later", async () => {
    const tag = await stage.world.post("/admin/tags", { nombre: "Fieles" });
    await stage.world.post("/contacts", { nombre: "Fiel", numero: "59171000041", tags: [tag.json.id] });
    const page = await open();
    const slow = held(page, (url) => url.pathname === "/contacts" && !url.searchParams.has("tag"));
    await button(page, "Todos los contactos").click();
    await slow.begun;
    await choose(page, "Etiqueta", "Fieles");
    await page.getByText("1 destinatario", { exact: true }).waitFor();
    await slow.pass();
    await page.getByText("1 destinatario", { exact: true }).waitFor();
  });

  it("stays empty after the form was emptied during its reading", async () => {
    const page = await open();
    const slow = held(page, (url) => url.pathname === "/contacts");
    await button(page, "Todos los contactos").click();
    await slow.begun;
    await button(page, "Descartar borrador").click();
    await slow.pass();
    await begin(page);
    expect(await button(page, "Siguiente").isDisabled()).to.equal(true);
    expect(await page.getByText(/destinatarios?$/).count()).to.equal(0);
  });

  it("must have the columns that the placeholders use", async () => {
    const page = await open();
    await page.getByText("Desde un archivo").click();
    await chooseFile(page, ["Teléfono,Nombre,Pedido", "59171000061,Ana,P-1"]);
    await button(page, "Usar estas filas").click();
    await page.getByText("1 destinatario", { exact: true }).waitFor();
    await choose(page, "Dato para 1", "Nombre");
    await choose(page, "Dato para 2", "Pedido");
    expect(await button(page, "Siguiente").isDisabled()).to.equal(false);
    await chooseFile(page, ["Teléfono,Nombre", "59171000061,Ana"]);
    await page.getByText("clientes.csv: 1 fila").waitFor();
    await page.getByText("1 destinatario", { exact: true }).waitFor({ state: "detached" });
    await button(page, "Usar estas filas").click();
    await page.getByText("1 destinatario", { exact: true }).waitFor();
    expect(await button(page, "Siguiente").isDisabled()).to.equal(true);
  });

  it("does not open the page of its campaign for a user who has left meanwhile", async () => {
    const page = await open();
    await page.getByText("Desde un archivo").click();
    await chooseFile(page, ["Teléfono,Nombre,Pedido", "59171000071,Ana,P-1"]);
    await button(page, "Usar estas filas").click();
    await page.getByText("1 destinatario", { exact: true }).waitFor();
    await fillAndCheck(page, "Pedido");
    await button(page, "Siguiente").click();
    const slow = held(page, (url) => url.pathname === "/chats/enviar/masivo/plantilla");
    await button(page, "Enviar ahora").click();
    await slow.begun;
    await page.getByRole("button", { name: "Descartar borrador", disabled: true }).waitFor();
    await page.getByRole("link", { name: "Campañas" }).first().click();
    await page.getByRole("heading", { name: "Campañas", level: 1 }).waitFor();
    await slow.pass();
    expect(new URL(page.url()).pathname).to.equal("/console/campaigns");
    await page.getByRole("link", { name: "Rebajas" }).first().waitFor();
  });

  it("does not come from a file that was replaced while its rows were taken", async () => {
    const page = await open();
    await page.getByText("Desde un archivo").click();
    await chooseFile(page, ["Teléfono,Nombre", "59171000051,Ana", "59171000052,Eva"], "viejo.csv");
    const slow = held(page, (url) => url.pathname === "/contacts");
    await button(page, "Usar estas filas").click();
    await slow.begun;
    await chooseFile(page, ["Teléfono,Nombre", "59171000053,Iris"], "nuevo.csv");
    await page.getByText("nuevo.csv: 1 fila").waitFor();
    // The page must empty the field. Otherwise choosing the same file again, after a correction, would cause no event.
    expect(await page.locator("input[type=file]").inputValue()).to.equal("");
    await slow.pass();
    expect(await page.getByText("2 destinatarios").count()).to.equal(0);
    expect(await page.getByRole("alert").count()).to.equal(0);
    await button(page, "Usar estas filas").click();
    await page.getByText("1 destinatario", { exact: true }).waitFor();
  });
});
