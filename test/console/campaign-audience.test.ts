import { expect } from "chai";
import type { Page } from "playwright-core";
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
  const fillAndCheck = async (page: Page, second: string): Promise<void> => {
    await choose(page, "Dato para 1", "Nombre");
    await choose(page, "Dato para 2", second);
    await button(page, "Siguiente").click();
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
});
