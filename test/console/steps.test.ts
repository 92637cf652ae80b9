import { expect } from "chai";
import type { Page } from "playwright-core";
import { request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness } from "../support/world.ts";
import { flaws } from "./axe.ts";
import { setStage, wide } from "./stage.ts";

const [admin, agent] = [101, 102];
const [emptyAdmin, largeAdmin] = [201, 301];
/** More steps than the tree renders at once. */
const many = 240;

describe("the console's editor of steps", () => {
  const steps = Array.from({ length: many }, (_, index) => ({
    ...{ id: 301 + index, name: `Paso ${index + 1}`, identifier: `paso-${index + 1}`, content: "Hola" },
    departmentId: 301,
  }));
  const stage = setStage({
    businesses: [aBusiness(1), aBusiness(2, { steps: [] }), aBusiness(3, { steps })],
    viewport: wide,
    fill: async (world) => {
      await world.rows("update steps set parent_step_id = id - 1 where business_id = 3 and id % 12 > 2");
    },
  });
  const seat = (view = "settings/steps", user = admin): Promise<Page> => stage.seat(user, view);
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const row = (page: Page, name: string) =>
    page.getByRole("treeitem", { name: new RegExp(`^${name}(?![\\p{L}\\d])`, "u") });
  const node = (page: Page, name: string) =>
    page.getByRole("group", { name: "Flujo de los pasos" }).getByRole("button", { name: new RegExp(`^${name},`) });
  const linkBetween = (page: Page, from: number, to: number) => page.locator(`path[data-link="${from} ${to}"]`);
  const field = (page: Page, label: string) => page.getByRole("textbox", { name: new RegExp(`^${label}`) });
  const list = (page: Page, label: string) => page.getByRole("combobox", { name: new RegExp(`^${label}`) });
  const choose = async (page: Page, label: string, option: string): Promise<void> => {
    await list(page, label).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const closed = (page: Page) => page.getByRole("dialog").first().waitFor({ state: "detached" });
  const ask = async (method: string, path: string, body?: object, user = admin) => {
    const authorization = `Bearer ${await stage.world.sessionToken(user)}`;
    return request(`${stage.world.api}/admin/steps${path}`, {
      method,
      headers: { authorization },
      ...(body && { body }),
    });
  };
  let made = 0;
  /** Creates a step with a unique name. */
  const make = async (name: string, more: object = {}): Promise<{ id: number; nombre: string }> => {
    made += 1;
    const { status, json, text } = await ask("POST", "", { nombre: `${name} ${made}`, tipo: "mensaje", ...more });
    expect(status, text).to.equal(201);
    return json;
  };

  it("explains steps to a business without any, and creates its first one", async () => {
    const page = await seat("settings/steps", emptyAdmin);
    await page.getByText("antes de que atienda una persona").waitFor();
    await button(page, "Crear el primer paso").click();
    await field(page, "Nombre").fill("Bienvenida");
    await field(page, "Texto").fill("¡Hola!");
    expect(await page.getByRole("switch", { name: "El flujo comienza aquí" }).isChecked()).to.equal(true);
    await button(page, "Guardar").click();
    await closed(page);
    await row(page, "Bienvenida").waitFor();
    const { json } = await ask("GET", "", undefined, emptyAdmin);
    expect(json.data[0]).to.include({ nombre: "Bienvenida", contenido: "¡Hola!", tipo: "mensaje", inicio: true });
  });

  it("creates a step and another one below it, and shows both in the tree and in the picture", async () => {
    const page = await seat();
    await button(page, "Nuevo paso").click();
    await field(page, "Nombre").fill("Menú");
    await choose(page, "Tipo", "Botones");
    await button(page, "Agregar botón").click();
    await field(page, "Botón 1").fill("Comprar");
    await button(page, "Guardar").click();
    await closed(page);
    await row(page, "Menú").click();
    await button(page, "Agregar un paso debajo").click();
    await page.getByRole("heading", { name: "Nuevo paso después de «Menú»" }).waitFor();
    await field(page, "Nombre").fill("Compra");
    await field(page, "Respuesta que lleva aquí").fill("Comprar");
    await choose(page, "Tipo", "Ticket");
    await choose(page, "Departamento", "Ventas");
    await button(page, "Guardar").click();
    await closed(page);
    const { data } = (await ask("GET", "")).json;
    const [child, parent] = data;
    expect(parent).to.include({ tipo: "botones", botones: '[{"id":"1","title":"Comprar"}]' });
    expect(child).to.include({ paso_id: parent.id, iniciador: "Comprar", departamento: 101, tipo: "ticket" });
    expect(await row(page, "Compra").getAttribute("aria-level")).to.equal("2");
    await node(page, "Menú").waitFor();
    await linkBetween(page, parent.id, child.id).waitFor({ state: "attached" });
    await node(page, "Compra").click();
    await page.getByRole("dialog").getByRole("heading", { name: "Compra", exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("step")).to.equal(String(child.id));
  });

  it("shows only the fields of a step's type, and keeps the others", async () => {
    const step = await make("Mapa", { tipo: "ubicacion", maps_search: "farmacia", helper_data: { a: 1 } });
    const page = await seat(`settings/steps?step=${step.id}`);
    expect(await field(page, "Qué buscar en el mapa").inputValue()).to.equal("farmacia");
    expect(await list(page, "Departamento").count()).to.equal(0);
    await choose(page, "Tipo", "Ticket");
    await list(page, "Departamento").waitFor();
    expect(await field(page, "Qué buscar en el mapa").count()).to.equal(0);
    await button(page, "Guardar").click();
    await closed(page);
    const { json } = await ask("GET", `/${step.id}`);
    expect(json).to.include({ tipo: "ticket", maps_search: "farmacia" });
    expect(json.helper_data).to.deep.equal({ a: 1 });
  });

  it("shows a wrong field that prevents saving, also after a change of the type", async () => {
    const step = await make("Modelo", { tipo: "ia" });
    const page = await seat(`settings/steps?step=${step.id}`);
    await page.getByText("Detalles técnicos").click();
    await field(page, "Datos adicionales").fill('{"a": ');
    await choose(page, "Tipo", "Mensaje");
    expect(await button(page, "Guardar").isDisabled()).to.equal(true);
    await field(page, "Datos adicionales").fill("");
    await button(page, "Guardar").click();
    await closed(page);
    expect((await ask("GET", `/${step.id}`)).json).to.include({ tipo: "mensaje", helper_data: null });
  });

  it("merges the changes of two people to one step", async () => {
    const step = await make("Saludo", { contenido: "Hola" });
    const page = await seat(`settings/steps?step=${step.id}`);
    await field(page, "Texto").fill("¡Buenas!");
    await ask("PUT", `/${step.id}`, { nombre: step.nombre, tipo: "pregunta", contenido: "Hola", variable: "x" });
    await button(page, "Guardar").click();
    await page.getByText("Sus cambios y los tuyos están juntos").waitFor();
    expect(await field(page, "Guardar la respuesta como").inputValue()).to.equal("x");
    await button(page, "Guardar").click();
    await closed(page);
    expect((await ask("GET", `/${step.id}`)).json).to.include({
      contenido: "¡Buenas!",
      variable: "x",
      tipo: "pregunta",
    });
  });

  it("shows a refused cycle, a used identifier and a deleted step at their fields", async () => {
    const first = await make("Vuelta");
    const second = await make("Sigue", { paso_automatico: first.id });
    const page = await seat(`settings/steps?step=${first.id}`);
    const next = list(page, "Después sigue solo con");
    await choose(page, "Después sigue solo con", second.nombre);
    await button(page, "Guardar").click();
    await page.getByText("Así el flujo daría vueltas sin fin").waitFor();
    expect(await next.getAttribute("aria-invalid")).to.equal("true");
    expect(await next.and(page.locator(":focus")).count()).to.equal(1);
    await page.getByRole("switch", { name: "Puede repetirse" }).click();
    await button(page, "Guardar").click();
    await closed(page);
    // One of the two links leads back. Which one it is depends on the order of the steps.
    const circle = [linkBetween(page, first.id, second.id), linkBetween(page, second.id, first.id)];
    const kinds = () => Promise.all(circle.map((link) => link.getAttribute("data-kind")));
    await eventually(async () => (await kinds()).sort().join() === "back,next");

    await page.goto(`${stage.world.api}/console/settings/steps?step=new`);
    await field(page, "Nombre").fill("Otro");
    await page.getByText("Detalles técnicos").click();
    await field(page, "Identificador").fill("ventas");
    await button(page, "Guardar").click();
    await page.getByText("ya tiene este identificador").waitFor();
    expect(await field(page, "Identificador").getAttribute("aria-invalid")).to.equal("true");
    await field(page, "Identificador").fill("otro");
    await choose(page, "Viene después de", first.nombre);
    await ask("DELETE", `/${first.id}`);
    await button(page, "Guardar").click();
    await page.getByText("alguien lo archivó o lo eliminó").waitFor();
    expect(await list(page, "Viene después de").getAttribute("aria-invalid")).to.equal("true");
  });

  it("asks before it discards typed text", async () => {
    const step = await make("Nota");
    const page = await seat(`settings/steps?step=${step.id}`);
    await field(page, "Texto").fill("Algo");
    await button(page, "Agregar un paso debajo").click();
    await page.getByText("¿Descartar los cambios?").waitFor();
    await button(page, "Seguir editando").click();
    expect(await field(page, "Texto").inputValue()).to.equal("Algo");
    await page.keyboard.press("Escape");
    await page.getByText("¿Descartar los cambios?").waitFor();
    await button(page, "Descartar").click();
    await closed(page);
  });

  it("archives a step after it listed the steps below it and the steps that lead to it", async () => {
    const top = await make("Raíz");
    const below = await make("Rama", { paso_id: top.id });
    const before = await make("Antes", { paso_automatico: top.id });
    const page = await seat(`settings/steps?step=${top.id}`);
    await button(page, `Archivar: ${top.nombre}`).click();
    const question = page.getByRole("dialog").last();
    await question.getByText(`Debajo queda «${below.nombre}»`).waitFor();
    await question.getByText(`«${before.nombre}» seguía solo con este`).waitFor();
    await question.getByRole("button", { name: "Archivar", exact: true }).click();
    await row(page, top.nombre).waitFor({ state: "detached" });
    await closed(page);
    expect(await row(page, below.nombre).getAttribute("aria-level")).to.equal("1");
    expect(await node(page, top.nombre).count()).to.equal(0);
  });

  it("can be used by keyboard in the tree and in the picture", async () => {
    const top = await make("Teclas");
    const below = await make("Abajo", { paso_id: top.id });
    const page = await seat();
    const focused = () =>
      page.evaluate<string>(
        "document.activeElement.innerText ?? document.activeElement.querySelector('title').textContent",
      );
    await row(page, top.nombre).focus();
    await page.keyboard.press("ArrowLeft");
    await row(page, below.nombre).waitFor({ state: "detached" });
    await page.keyboard.press("ArrowRight");
    await row(page, below.nombre).waitFor();
    await page.keyboard.press("ArrowRight");
    expect(await focused()).to.match(/^Abajo/);
    await page.keyboard.press("+");
    await page.getByRole("heading", { name: `Nuevo paso después de «${below.nombre}»` }).waitFor();
    await page.keyboard.press("Escape");
    await closed(page);
    await eventually(async () => expect(await focused()).to.match(/^Abajo/));
    await node(page, top.nombre).focus();
    await page.keyboard.press("ArrowRight");
    expect(await focused()).to.match(/^Abajo/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("heading", { name: below.nombre }).waitFor();
  });

  it("finds a step without accents, and shows the steps above it", async () => {
    const top = await make("Arriba");
    const found = await make("Dirección exacta", { paso_id: top.id });
    const page = await seat();
    await page.getByRole("searchbox").fill("direccion EXACTA");
    await row(page, "Ventas").waitFor({ state: "detached" });
    expect(await page.getByRole("treeitem").count()).to.equal(2);
    await row(page, found.nombre).waitFor();
    expect(new URL(page.url()).searchParams.get("q")).to.equal("direccion EXACTA");
  });

  it("shows hundreds of steps: the tree renders only visible ones, and the picture all of them", async () => {
    const page = await seat("settings/steps", largeAdmin);
    await row(page, "Paso 1").focus();
    await page.keyboard.press("End");
    await row(page, `Paso ${many}`).waitFor();
    expect(await page.getByRole("treeitem").count()).to.be.lessThan(60);
    expect(await page.locator("[data-step]").count()).to.equal(many);
    const view = page.locator("svg[role=group] > g");
    const picture = page.getByRole("group", { name: "Flujo de los pasos" });
    const cut = () =>
      picture.evaluate((svg) => {
        const frame = svg.getBoundingClientRect();
        return [...svg.querySelectorAll("[data-step]")].filter((step) => {
          const { left, right, top, bottom } = step.getBoundingClientRect();
          return left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom;
        }).length;
      });
    // The beginning is large enough to read. The rest of a large flow is outside of the frame.
    const first = await page.locator("[data-step]").first().boundingBox();
    expect(first?.width).to.be.greaterThan(120);
    expect(await cut()).to.be.greaterThan(0);
    await button(page, "Ver entero").click();
    await eventually(async () => (await cut()) === 0);
    await page.getByText("Flujo", { exact: true }).click();
    await page.getByRole("tree").waitFor({ state: "detached" });
    await button(page, "Ver entero").click();
    await eventually(async () => (await cut()) === 0);
    const whole = await view.getAttribute("transform");
    const frame = await picture.boundingBox();
    if (!frame) throw new Error("the picture is not seen");
    await page.mouse.move(frame.x + 20, frame.y + 20);
    await page.mouse.down();
    await page.mouse.move(frame.x + 120, frame.y + 60, { steps: 4 });
    await page.mouse.up();
    expect(await view.getAttribute("transform")).not.to.equal(whole);
    expect(await page.getByRole("dialog").count()).to.equal(0);
    await button(page, "Ver entero").click();
    expect(await view.getAttribute("transform")).to.equal(whole);
  });

  it("is shown neither to agents nor to another business", async () => {
    const step = await make("Secreto");
    const page = await seat("settings/steps", agent);
    await page.getByRole("link", { name: "Bandeja" }).waitFor();
    expect(await page.getByRole("link", { name: "Pasos", exact: true }).count()).to.equal(0);
    expect(await page.getByRole("tree").count()).to.equal(0);
    const other = await seat(`settings/steps?step=${step.id}`, largeAdmin);
    await other.getByRole("dialog").getByRole("alert").waitFor();
    expect(await other.getByText(step.nombre).count()).to.equal(0);
  });

  it("passes axe and fits every width, light and dark", async () => {
    const long = await make("Un nombre muy largo que no cabe en ninguna fila ni en ninguna caja", { tipo: "opciones" });
    const page = await seat();
    const found: string[] = [];
    for (const view of ["settings/steps", "settings/steps?picture=true", `settings/steps?step=${long.id}`]) {
      await page.setViewportSize(wide);
      await page.goto(`${stage.world.api}/console/${view}`);
      if (view.includes("step=")) await button(page, "Guardar").waitFor();
      else await (view.includes("picture") ? node(page, "Ventas") : row(page, "Ventas")).waitFor();
      found.push(...(await flaws(page, view, view.includes("picture") ? [1440, 360] : [360])));
    }
    expect(found).to.deep.equal([]);
  });
});
