import { expect } from "chai";
import type { Page } from "playwright-core";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread } from "../support/world.ts";
import { axeViolations } from "./axe.ts";
import { setStage, wide } from "./stage.ts";

const [admin, ana] = [101, 102];

const many = 200;
const tags = Array.from({ length: many }, (_, index) => ({ id: 1_000 + index, name: `Etiqueta ${index + 1}` }));

const threads = Array.from({ length: 10 }, (_, index) =>
  aThread(101 + index, {
    name: `Cliente ${index + 1}`,
    state: index === 3 ? "in_progress" : "pending",
    departmentId: index === 1 ? 101 : null,
    tagIds: index === 2 ? [1_150] : index === 4 ? tags.map(({ id }) => id).filter((id) => id !== 1_150) : [],
    fields: index === 0 ? { Talla: "M" } : {},
  }),
);

const list = (page: Page) => page.getByRole("list", { name: "Chats" });
const rows = (page: Page) => list(page).getByRole("listitem");
const side = (page: Page) => page.getByRole("complementary", { name: "Datos del chat" });

describe("the console's inbox beside the thread", () => {
  const stage = setStage({ viewport: wide, businesses: [aBusiness(1, { tags, threads })] });

  const seat = (userId = admin, view?: string) => stage.seat(userId, view);
  const says = (chat: number, text: string) =>
    stage.world.control("POST", `/customers/5917000${String(chat).padStart(4, "0")}/say`, { to: "number-1", text });

  it("filters chats by the department, tag or state that the URL names, and removes a filter at a click", async () => {
    const page = await seat(admin, "inbox?department=101");
    await rows(page).getByText("Cliente 2", { exact: true }).waitFor();
    expect(await rows(page).count()).to.equal(1);
    await page.goto(`${stage.world.api}/console/inbox?tag=1150`);
    await rows(page).getByText("Cliente 3", { exact: true }).waitFor();
    expect(await rows(page).count()).to.equal(1);
    await page.getByRole("button", { name: "Quitar el filtro Etiqueta 151" }).click();
    await eventually(async () => (await rows(page).count()) === threads.length);
    expect(page.url()).not.to.include("tag=");
    await page.goto(`${stage.world.api}/console/inbox?state=proceso`);
    await rows(page).getByText("Cliente 4", { exact: true }).waitFor();
    expect(await rows(page).count()).to.equal(1);
  });

  it("shows no chat in the bot's view if another state is chosen", async () => {
    await stage.world.rows("update chats set state = 'bot' where id = 110");
    const page = await seat(admin, "inbox?view=bot");
    await rows(page).getByText("Cliente 10", { exact: true }).waitFor();
    await page.goto(`${stage.world.api}/console/inbox?view=bot&state=pendiente`);
    await page.getByText("No hay chats aquí.").waitFor();
    expect(await rows(page).count()).to.equal(0);
  });

  it("names the holder of a chat also if the holder is no agent", async () => {
    await stage.world.rows("update chats set support_user_id = $1 where id = 107", [admin]);
    const page = await seat(admin, "inbox/107");
    await page.getByText("Atiende Ada Admin").waitFor();
    await stage.world.rows("update chats set support_user_id = $1 where id = 107", [ana]);
    await page.route("**/agents", (route) => route.fulfill({ json: { data: [] } }));
    await page.reload();
    await page.getByText("Atiende otra persona").waitFor();
  });

  it("finds one of 200 tags by name", async () => {
    const page = await seat();
    await page.getByRole("button", { name: "Filtrar" }).click();
    await page.getByRole("combobox", { name: "Etiqueta" }).fill("Etiqueta 151");
    await page.getByRole("option", { name: "Etiqueta 151" }).click();
    await rows(page).getByText("Cliente 3", { exact: true }).waitFor();
    await eventually(async () => (await rows(page).count()) === 1);
    expect(page.url()).to.include("tag=1150");
  });

  it("leaves room for the thread in a chat with 199 tags, and lists all of them on demand", async () => {
    const page = await seat(admin, "inbox/105");
    const chosen = side(page).getByRole("list", { name: "Etiquetas del chat" });
    await chosen.getByRole("button", { name: "+187 más" }).click();
    await chosen.getByRole("button", { name: "Quitar la etiqueta Etiqueta 200" }).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByText("+193 más").waitFor();
    await page.getByText("hola", { exact: false }).first().waitFor();
    const { y, height } = (await page.getByRole("textbox", { name: "Mensaje" }).boundingBox()) ?? { y: 0, height: 1e4 };
    expect(y + height).to.be.at.most(740);
  });

  it("edits a contact and a chat's tags beside the thread, and a colleague sees it", async () => {
    const [one, other] = [await seat(admin, "inbox/101"), await seat(admin, "inbox/101")];
    await side(other).getByText("Talla").waitFor();
    await side(one).getByRole("button", { name: "Editar contacto" }).click();
    await side(one).getByRole("textbox", { name: "Valor de Talla" }).fill("XL");
    await side(one).getByRole("button", { name: "Guardar" }).click();
    await side(other).getByText("XL", { exact: true }).waitFor();
    await side(one).getByRole("combobox", { name: "Agregar etiqueta" }).fill("Etiqueta 7");
    await one.getByRole("option", { name: "Etiqueta 7", exact: true }).click();
    const shown = side(other).getByRole("button", { name: "Quitar la etiqueta Etiqueta 7" });
    await shown.click();
    await side(one).getByRole("button", { name: "Quitar la etiqueta Etiqueta 7" }).waitFor({ state: "detached" });
  });

  it("keeps what a colleague saved meanwhile, and says that the contact changed", async () => {
    const [one, other] = [await seat(admin, "inbox/102"), await seat(admin, "inbox/102")];
    for (const page of [one, other]) {
      await side(page).getByRole("button", { name: "Editar contacto" }).click();
      await side(page).getByRole("button", { name: "Agregar campo" }).click();
    }
    const write = async (page: Page, name: string): Promise<void> => {
      await side(page).getByRole("textbox", { name: "Nombre del campo" }).last().fill(name);
      await side(page)
        .getByRole("textbox", { name: `Valor de ${name}` })
        .fill("sí");
      await side(page).getByRole("button", { name: "Guardar" }).click();
    };
    await write(one, "Primero");
    await side(one).getByText("Primero", { exact: true }).waitFor();
    await write(other, "Segundo");
    await side(other).getByText("Alguien cambió este contacto mientras lo editabas").waitFor();
    await side(other).getByRole("textbox", { name: "Valor de Primero" }).waitFor();
    expect(await side(other).getByRole("textbox", { name: "Valor de Segundo" }).inputValue()).to.equal("sí");
    await side(other).getByRole("button", { name: "Guardar" }).click();
    await side(one).getByText("Segundo", { exact: true }).waitFor();
    await side(one).getByText("Primero", { exact: true }).waitFor();
  });

  it("returns from a contact that could not be loaded", async () => {
    const page = await seat(admin, "inbox/101");
    await page.route(/\/contacts\/\d+$/, (route) => route.fulfill({ status: 403, json: { error: "No se puede" } }));
    const edit = side(page).getByRole("button", { name: "Editar contacto" });
    await edit.click();
    await side(page).getByText("No se puede").waitFor();
    await side(page).getByRole("button", { name: "Cancelar" }).click();
    await edit.waitFor();
  });

  it("does not drop a field of a contact that has a value and no name", async () => {
    const page = await seat(admin, "inbox/106");
    await side(page).getByRole("button", { name: "Editar contacto" }).click();
    await side(page).getByRole("button", { name: "Agregar campo" }).click();
    await side(page).getByRole("textbox", { name: "Valor" }).last().fill("42");
    await side(page).getByRole("button", { name: "Guardar" }).click();
    await side(page).getByText("Ponle un nombre a cada campo.").waitFor();
    await side(page).getByRole("textbox", { name: "Nombre del campo" }).last().fill("Calzado");
    await side(page).getByRole("button", { name: "Guardar" }).click();
    await side(page).getByText("Calzado", { exact: true }).waitFor();
  });

  it("remembers that the panel is closed", async () => {
    const page = await seat(admin, "inbox/101");
    await side(page).waitFor();
    await page.getByRole("button", { name: "Datos", exact: true }).click();
    await side(page).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("log", { name: "Mensajes" }).waitFor();
    expect(await side(page).count()).to.equal(0);
  });

  it("moves between chats by keys, lists all keys, and ignores them while the user types", async () => {
    const page = await seat(admin, "inbox");
    await rows(page).first().waitFor();
    await page.keyboard.press("j");
    await page.waitForURL(/inbox\/\d+/);
    const first = page.url();
    await page.keyboard.press("j");
    await page.waitForURL((url) => url.href !== first);
    await page.keyboard.press("k");
    await page.waitForURL(first);
    await page.getByRole("log", { name: "Mensajes" }).waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("jk?");
    expect(await page.getByRole("textbox", { name: "Mensaje" }).inputValue()).to.equal("jk?");
    expect(page.url()).to.equal(first);
    await page
      .getByRole("textbox", { name: "Mensaje" })
      .evaluate((field) => (field as unknown as { blur(): void }).blur());
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Atajos de teclado" });
    await dialog.getByText("Chat siguiente").waitFor();
    expect(await axeViolations(page)).to.deep.equal([]);
    await dialog.getByRole("switch", { name: "Usar atajos de una tecla" }).click();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("j");
    expect(page.url()).to.equal(first);
  });

  it("keeps rows in place under the pointer, and says how many are new", async () => {
    const page = await seat();
    await rows(page).first().waitFor();
    const third = rows(page).nth(2);
    const [before, last] = [await third.textContent(), (await rows(page).last().textContent()) ?? ""];
    const chat = 100 + Number(/Cliente (\d+)/.exec(last)?.[1]);
    await third.hover();
    await says(chat, "¿Siguen abiertos?");
    await page.getByRole("button", { name: "1 nuevo" }).waitFor();
    expect(await third.textContent()).to.equal(before);
    // The test presses the button by keyboard: the button disappears when the mouse leaves the list to click it.
    await page.getByRole("button", { name: "1 nuevo" }).press("Enter");
    await eventually(async () => ((await rows(page).first().textContent()) ?? "").includes("¿Siguen abiertos?"));
  });

  it("shows notifications only after the user and the browser have allowed them", async () => {
    const page = await seat(ana);
    // The script is a string. In a function, the tests' compiler would insert calls of a helper that the page lacks.
    await page.context().addInitScript({
      content: `
        globalThis.shown = [];
        globalThis.Notification = class {
          static permission = "default";
          static async requestPermission() { return (this.permission = "granted"); }
          constructor(title) { globalThis.shown.push(title); }
        };`,
    });
    await page.reload();
    const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown);
    await rows(page).first().waitFor();
    await says(106, "Sin permiso");
    await rows(page).getByText("Sin permiso").waitFor();
    expect(await shown()).to.deep.equal([]);
    await page.getByRole("button", { name: "Cuenta de Ana Agente" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Avisar de mensajes nuevos" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Avisar de mensajes nuevos", checked: true }).waitFor();
    await says(106, "Con permiso");
    await eventually(async () => (await shown()).length === 1);
    // Chrome on Android has the class `Notification`, but its constructor throws.
    await page.evaluate(`
      globalThis.chimes = 0;
      Notification = class {
        static permission = "granted";
        constructor() { throw new TypeError("Illegal constructor"); }
      };
      const Tone = OscillatorNode;
      OscillatorNode = class extends Tone {
        constructor(...given) { super(...given); globalThis.chimes += 1; }
      };
      undefined`);
    await eventually(async () => {
      await says(106, "Solo con sonido");
      return (await page.evaluate<number>("globalThis.chimes")) > 0;
    });
  });

  it("lets an agent stop getting chats assigned", async () => {
    const page = await seat(ana);
    await page.getByRole("button", { name: "Cuenta de Ana Agente" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Disponible para atender", checked: true }).click();
    await eventually(async () => {
      const [user] = await stage.world.rows<{ available: boolean }>("select available from users where id = 102");
      return user?.available === false;
    });
  });

  it("names an erased contact, invents no message for them, and takes no answer", async () => {
    const page = await seat(admin, "inbox/109");
    await page.getByRole("textbox", { name: "Mensaje" }).waitFor();
    const headers = { authorization: `Bearer ${await stage.world.sessionToken(admin)}` };
    const { status } = await request(`${stage.world.api}/contacts/109`, { method: "DELETE", headers });
    expect(status).to.equal(204);
    const row = rows(page).filter({ hasText: "Contacto borrado" });
    await row.getByText("Mensaje borrado").waitFor();
    expect(await row.textContent()).not.to.match(/text/i);
    await page.getByRole("heading", { name: "Contacto borrado" }).waitFor();
    await page.getByRole("log").getByText("Mensaje borrado").waitFor();
    await page.getByText("Ya no se le puede escribir").waitFor();
    expect(await page.getByRole("textbox", { name: "Mensaje" }).count()).to.equal(0);
    await side(page).getByText("Contacto borrado").waitFor();
    expect(await side(page).getByRole("button", { name: "Editar contacto" }).count()).to.equal(0);
  });

  it("passes axe with the panel open, light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await seat(admin, "inbox/101?tag=1150");
      await page.emulateMedia({ colorScheme });
      await side(page).getByText("Talla").waitFor();
      expect(await axeViolations(page)).to.deep.equal([]);
    }
  });
});

describe("the console's inbox with 10,000 chats", () => {
  const all = Array.from({ length: 10_000 }, (_, index) => aThread(1_001 + index, { name: `Cliente ${index + 1}` }));
  const stage = setStage({ businesses: [aBusiness(1, { threads: all })] });

  it("keeps few rows in the page while the user scrolls", async () => {
    const page = await stage.seat(admin);
    await rows(page).first().waitFor();
    await list(page).hover();
    await eventually(async () => {
      await page.mouse.wheel(0, 10_000);
      return Number(await rows(page).last().getAttribute("aria-posinset")) > 500;
    }, 30_000);
    expect(await rows(page).count()).to.be.lessThan(60);
  });
});
