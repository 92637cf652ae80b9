import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import type { MessageFixture } from "../../src/fixtures/businesses/business.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, aThread, startWorld, type World } from "../support/world.ts";
import { buildConsole, demandBrowser, launch, lineTo, type Seat, seatOf } from "./browser.ts";

const [admin, ana] = [101, 102];

const users = [
  { id: admin, name: "Ada Admin", email: "admin@b1.test", roleId: 1, available: false },
  { id: ana, name: "Ana Agente", email: "agent@b1.test", roleId: 5, available: true },
];

/** Of 9 by 6. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAGCAIAAACepSOSAAAAFUlEQVR4nGP4z8BAEKI8JIEGEoAKACT2DPQVcQLXAAAAAElFTkSuQmCC",
  "base64",
);

const threads = [
  ...Array.from({ length: 10 }, (_, index) => aThread(101 + index, { name: `Cliente ${index + 1}`, state: "pending" })),
  aThread(120, { name: "Muy hablador", messages: Array.from({ length: 5_000 }, (_, index) => spoken(index)) }),
];

function spoken(index: number): MessageFixture {
  const at = new Date(Date.UTC(2026, 0, 2, 3) + index * 60_000);
  const body = `Mensaje ${index + 1}. ${"Más palabras. ".repeat(index % 7)}`.trim();
  return { direction: "in", body, author: "contact", authorName: "Muy hablador", state: "received", at };
}

const thread = (page: Page) => page.getByRole("log", { name: "Mensajes" });
const composer = (page: Page) => page.getByRole("textbox", { name: "Mensaje" });
const sendButton = (page: Page) => page.getByRole("button", { name: "Enviar", exact: true });

describe("the console's thread and composer", function () {
  this.timeout(90_000);
  let world: World;
  let browser: Browser;
  let folder: string;
  const seats: Seat[] = [];

  before(async function () {
    demandBrowser(this);
    buildConsole();
    folder = await mkdtemp(join(tmpdir(), "recado-composer-"));
    const templates = [
      aTemplate(101, { name: "Pedido listo" }),
      aTemplate(102, { name: "Sin aprobar", status: "PENDING" }),
    ];
    world = await startWorld({
      businesses: [aBusiness(1, { users, threads, templates })],
      environment: { MEDIA_DIR: folder, MEDIA_BASE_URL: "https://media.test/media/" },
    });
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await world?.stop();
    if (folder) await rm(folder, { recursive: true });
  });
  afterEach(async () => {
    for (const { context } of seats.splice(0)) await context.close();
  });

  const seat = async (userId: number, view: string, at?: string): Promise<Page> => {
    const opened = await seatOf(browser, world, userId, view, at);
    seats.push(opened);
    return opened.page;
  };
  const phoneOf = (chat: number): string => `5917000${String(chat).padStart(4, "0")}`;
  const does = (what: "say" | "react", chat: number, body: object): Promise<{ id: string }> =>
    world.control("POST", `/customers/${phoneOf(chat)}/${what}`, { to: "number-1", ...body });
  const says = (chat: number, text: string) => does("say", chat, { text });
  const received = async (chat: number, text: string): Promise<number> => {
    const messages: object[] = await world.control("GET", `/messages?to=${phoneOf(chat)}`);
    return messages.filter((message) => JSON.stringify(message).includes(text)).length;
  };
  const outboxIsEmpty = async (page: Page): Promise<boolean> =>
    !(await page.evaluate<string>("Object.keys(localStorage).join()")).includes("outbox");
  interface Dropped {
    readonly name: string;
    readonly type: string;
    readonly content?: Buffer;
    /** Bytes of nothing in particular. */
    readonly size?: number;
  }
  const drop = (page: Page, files: readonly Dropped[]) =>
    page.evaluate(
      (given) => {
        const page = globalThis as never as {
          DataTransfer: new () => { items: { add(file: object): void } };
          DragEvent: new (type: string, how: object) => object;
          File: new (parts: Uint8Array[], name: string, how: object) => object;
          document: { dispatchEvent(event: object): void };
        };
        const dataTransfer = new page.DataTransfer();
        for (const { name, type, bytes, size } of given)
          dataTransfer.items.add(new page.File([size ? new Uint8Array(size) : new Uint8Array(bytes)], name, { type }));
        for (const kind of ["dragover", "drop"])
          page.document.dispatchEvent(new page.DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
      },
      files.map(({ name, type, content = Buffer.alloc(0), size = 0 }) => ({ name, type, bytes: [...content], size })),
    );

  describe("files", () => {
    const image = (name: string) => ({ name, type: "image/png", content: picture });

    it("go to the customer once where they are dropped, with the text below the first", async () => {
      await says(101, "¿Tiene foto?");
      const page = await seat(ana, "inbox/101");
      await thread(page).getByText("¿Tiene foto?").waitFor();
      await drop(page, [
        image("plato.png"),
        { name: "carta.pdf", type: "application/pdf", content: Buffer.from("%PDF-1.4\n%%EOF") },
      ]);
      await page.getByRole("list", { name: "Archivos adjuntos" }).getByText("carta.pdf").waitFor();
      await composer(page).fill("Así se ve");
      await sendButton(page).dblclick();
      await eventually(async () => (await received(101, ".pdf")) === 1);
      expect(await received(101, ".png")).to.equal(1);
      expect(await received(101, "Así se ve")).to.equal(1);
      await thread(page).getByRole("button", { name: "Ver imagen: Así se ve" }).waitFor();
      await thread(page).getByText("carta.pdf").waitFor();
      expect(await page.getByRole("list", { name: "Archivos adjuntos" }).count()).to.equal(0);
    });

    it("are refused in words where they are of a type or size that no channel takes", async () => {
      const page = await seat(ana, "inbox/101");
      await composer(page).waitFor();
      await drop(page, [
        { name: "programa.exe", type: "application/octet-stream", content: Buffer.from("MZ") },
        { name: "largo.mp3", type: "audio/mpeg", size: 17 * 1024 * 1024 },
        { name: "nada.pdf", type: "application/pdf" },
      ]);
      const refusals = page.getByRole("alert");
      await refusals.getByText("programa.exe es de un tipo que no se puede enviar.").waitFor();
      await refusals.getByText("se admiten hasta 16 MB").waitFor();
      await refusals.getByText("nada.pdf está vacío").waitFor();
      await page.getByRole("button", { name: "Entendido" }).click();
      expect(await refusals.count()).to.equal(0);
    });

    it("wait for the message over a reload, and can be taken out", async () => {
      await says(102, "Hola");
      const page = await seat(ana, "inbox/102");
      await composer(page).waitFor();
      await drop(page, [image("una.png"), image("otra.png")]);
      const tray = page.getByRole("list", { name: "Archivos adjuntos" });
      await eventually(() => sendButton(page).isEnabled());
      await page.reload();
      await tray.getByText("una.png").waitFor();
      await page.getByRole("button", { name: "Quitar una.png" }).click();
      expect(await tray.getByRole("listitem").count()).to.equal(1);
      await sendButton(page).click();
      await eventually(async () => (await received(102, ".png")) === 1);
    });
  });

  describe("quick replies", () => {
    before(async () => {
      for (const [nombre, texto] of [
        ["envío", "Hola {{contacto.nombre}}, el envío cuesta Bs 10."],
        ["horario", "Abrimos de 9 a 18."],
      ])
        expect((await world.post("/admin/quick-replies", { nombre, texto })).status).to.equal(201);
    });

    it("are found by a slash and a word, chosen by the keyboard, and reach the customer filled in", async () => {
      await says(103, "¿Cuánto sale el envío?");
      const page = await seat(ana, "inbox/103");
      const list = page.getByRole("listbox", { name: "Respuestas rápidas" });
      await composer(page).focus();
      await page.keyboard.type("/");
      await eventually(async () => (await list.getByRole("option").count()) === 2);
      await page.keyboard.type("envi");
      await eventually(async () => (await list.getByRole("option").count()) === 1);
      await page.keyboard.press("Enter");
      expect(await composer(page).inputValue()).to.match(/^Hola .+, el envío cuesta Bs 10\.$/);
      expect(await list.count()).to.equal(0);
      await page.keyboard.press("Enter");
      await eventually(async () => (await received(103, "el envío cuesta Bs 10.")) === 1);
      expect(await received(103, "{{")).to.equal(0);
    });

    it("leave other slashes alone", async () => {
      const page = await seat(ana, "inbox/103");
      await composer(page).fill("1/2 kilo");
      expect(await page.getByRole("listbox").count()).to.equal(0);
      await composer(page).fill("/");
      await page.getByRole("listbox").waitFor();
      await page.keyboard.press("Escape");
      expect(await page.getByRole("listbox").count()).to.equal(0);
      expect(await composer(page).inputValue()).to.equal("/");
    });
  });

  it("puts an emoji where the cursor is", async () => {
    const page = await seat(ana, "inbox/103");
    await composer(page).fill("Gracias ");
    await page.getByRole("button", { name: "Emoji" }).click();
    await page.getByRole("searchbox", { name: "Buscar emoji" }).fill("corazón rojo");
    await page.getByRole("button", { name: "corazón rojo", exact: true }).click();
    await eventually(async () => (await composer(page).inputValue()) === "Gracias ❤️");
  });

  it("offers a template where the window is over, shows it filled in and sends it", async () => {
    const page = await seat(ana, "inbox/104");
    await page.getByText("Pasaron 24 h desde el último mensaje del cliente.").waitFor();
    await composer(page).fill("Esto no le llegaría");
    expect(await sendButton(page).isEnabled()).to.equal(false);
    await page.getByRole("button", { name: "Elegir una plantilla" }).click();
    expect(await page.getByRole("button", { name: /Sin aprobar/ }).isEnabled()).to.equal(false);
    await page.getByRole("button", { name: /Pedido listo/ }).click();
    expect(await page.getByLabel("Variable 1").inputValue()).to.equal("Cliente");
    await page.getByLabel("Variable 2").fill("1024");
    await page.getByText("Hola Cliente, tu pedido 1024 está listo.").waitFor();
    await page.getByRole("button", { name: "Enviar plantilla" }).click();
    await thread(page).getByText("Hola Cliente, tu pedido 1024 está listo.").waitFor();
    await eventually(async () => (await received(104, "1024")) === 1);
    expect(await composer(page).inputValue()).to.equal("Esto no le llegaría");
  });

  describe("what is sent", () => {
    it("does not wait for a message before it that was refused, which can be tried again or dropped", async () => {
      await says(105, "Hola");
      const page = await seat(ana, "inbox/105");
      await page.route("**/chats/105/messages", async (route) => {
        const isBad = route.request().postData()?.includes("Uno") ?? false;
        if (isBad)
          await route.fulfill({ status: 400, json: { error: "No se puede enviar esto", code: "send_refused" } });
        else await route.continue();
      });
      for (const text of ["Uno", "Dos"]) {
        await composer(page).fill(text);
        await sendButton(page).click();
      }
      await eventually(async () => (await received(105, "Dos")) === 1);
      await thread(page).getByText("No se envió: No se puede enviar esto").waitFor();
      await page.unroute("**/chats/105/messages");
      await page.reload();
      await thread(page).getByText("No se envió: No se puede enviar esto").waitFor();
      await page.getByRole("button", { name: "Reintentar" }).click();
      await eventually(async () => (await received(105, "Uno")) === 1);
      await eventually(() => outboxIsEmpty(page));
    });

    it("goes on after a message that the service keeps failing at", async () => {
      await says(106, "Hola");
      const page = await seat(ana, "inbox/106");
      await page.clock.install();
      await page.route("**/chats/106/messages", async (route) => {
        const isBad = route.request().postData()?.includes("Atascado") ?? false;
        if (isBad) await route.fulfill({ status: 500, json: { error: "fallo inesperado", code: "unexpected" } });
        else await route.continue();
      });
      for (const text of ["Atascado", "El siguiente"]) {
        await composer(page).fill(text);
        await sendButton(page).click();
      }
      await eventually(async () => {
        await page.clock.runFor(10_000);
        return (await received(106, "El siguiente")) === 1;
      });
      await thread(page).getByText("El servicio no pudo enviarlo.").waitFor();
      await page.getByRole("button", { name: "Descartar" }).click();
      expect(await thread(page).getByText("Atascado").count()).to.equal(0);
    });

    it("goes once where the page is reloaded in the middle, and where two pages of the user are open", async () => {
      await says(107, "Hola");
      const page = await seat(ana, "inbox/107");
      const other = await page.context().newPage();
      await other.goto(`${world.api}/console/inbox/107`);
      await composer(other).waitFor();
      let asked = 0;
      // Either page may be the one that sends.
      await page.context().route("**/chats/107/messages", async (route) => {
        if (route.request().method() !== "POST") return route.continue();
        asked += 1;
        // Reaches the service; the answer never comes.
        await route.fetch();
      });
      await composer(page).fill("Solo una vez");
      await sendButton(page).click();
      await eventually(() => asked === 1);
      await page.context().unroute("**/chats/107/messages");
      await Promise.all([page.reload(), other.reload()]);
      await thread(page).getByText("Solo una vez").waitFor();
      await eventually(() => outboxIsEmpty(page), 15_000);
      expect(await received(107, "Solo una vez")).to.equal(1);
      for (const each of [page, other])
        await eventually(async () => (await thread(each).getByText("Solo una vez").count()) === 1);
    });

    it("keeps its order through a connection that is cut", async () => {
      const line = await lineTo(world.api);
      try {
        await says(108, "Antes");
        const page = await seat(ana, "inbox/108", line.url);
        await thread(page).getByText("Antes").waitFor();
        line.cut();
        await page.getByText("Sin conexión. Reconectando").waitFor();
        const texts = ["Primero", "Segundo", "Tercero"];
        for (const text of texts) {
          await composer(page).fill(text);
          await page.keyboard.press("Enter");
        }
        line.mend();
        await eventually(async () => (await received(108, "Tercero")) === 1, 20_000);
        await eventually(() => outboxIsEmpty(page));
        const said = await thread(page).getByRole("article").allTextContents();
        expect(texts.map((text) => said.findIndex((one) => one.includes(text)))).to.deep.equal([
          said.length - 3,
          said.length - 2,
          said.length - 1,
        ]);
        for (const text of texts) expect(await received(108, text)).to.equal(1);
      } finally {
        await line.close();
      }
    });
  });

  describe("a long thread", () => {
    const drawn = (page: Page) => thread(page).getByRole("article").count();
    const topOf = (page: Page, text: string) =>
      thread(page)
        .getByText(text, { exact: true })
        .evaluate((shown) => Math.round(shown.getBoundingClientRect().top));

    /** Of a message in the middle, once the thread neither moves nor loads any more. */
    const restingText = (page: Page): Promise<string> => {
      let last = "";
      return eventually(async () => {
        const seen = await thread(page).evaluate((log) => {
          const { top, height, left, width } = log.getBoundingClientRect();
          const at = log.ownerDocument.elementsFromPoint(left + width / 8, top + height / 2);
          const text =
            at.flatMap((each: typeof log) => each.closest("article")?.querySelector("p[dir]")?.textContent ?? [])[0] ??
            "";
          return { text, place: `${text} ${log.scrollTop} ${log.scrollHeight}` };
        });
        const isResting = seen.text !== "" && seen.place === last;
        last = seen.place;
        return isResting && (await page.getByText("Cargando mensajes anteriores…").count()) === 0 && seen.text;
      });
    };

    it("keeps few messages in the page, and each one where it is read while others come in", async () => {
      const page = await seat(admin, "inbox/120");
      await thread(page).getByText("Mensaje 5000.", { exact: false }).waitFor();
      await thread(page).hover();
      const oldest = async (): Promise<number> => {
        const [first = ""] = await thread(page).getByRole("article").allTextContents();
        return Number(/Mensaje (\d+)/.exec(first)?.[1] ?? Number.POSITIVE_INFINITY);
      };
      await eventually(async () => {
        await page.mouse.wheel(0, -6_000);
        expect(await drawn(page)).to.be.lessThan(80);
        return (await oldest()) < 4_000;
      }, 45_000);
      const text = await restingText(page);
      const before = await topOf(page, text);
      await says(120, "Ha llegado otro");
      await page.getByRole("button", { name: "Ir a lo último, 1 mensaje nuevo" }).waitFor();
      expect(await topOf(page, text)).to.equal(before);
      await page.getByRole("button", { name: /Ir a lo último/ }).click();
      await thread(page).getByText("Ha llegado otro").waitFor();
      expect(await drawn(page)).to.be.lessThan(80);
    });

    it("goes to the message that another one quotes, however far it is", async () => {
      const [original] = await world.rows<{ platform_message_id: string }>(
        "select platform_message_id from messages where chat_id = 120 and body = $1",
        [spoken(4_699).body],
      );
      await does("say", 120, { text: "Sobre aquello", reply_to: original?.platform_message_id });
      const page = await seat(admin, "inbox/120");
      await thread(page).getByText("Sobre aquello").waitFor();
      await page.getByTitle("Ir al mensaje citado").last().click();
      await thread(page).getByText(spoken(4_699).body, { exact: true }).waitFor();
      await page.getByRole("button", { name: /Ir a lo último/ }).click();
      await thread(page).getByText("Sobre aquello").waitFor();
    });
  });

  describe("every kind of message", () => {
    const sayKind = (type: string, content: object) => does("say", 109, { type, content });
    const base64 = picture.toString("base64");

    before(async () => {
      const first = await says(109, "Mire https://example.com/a, por favor");
      await does("react", 109, { message_id: first.id, emoji: "👍" });
      await sayKind("location", { latitude: -16.5, longitude: -68.1, name: "Plaza Avaroa", address: "La Paz" });
      await sayKind("order", {
        catalog_id: "1",
        product_items: [{ product_retailer_id: "SKU-1", quantity: 2, item_price: 21, currency: "BOB" }],
      });
      await does("say", 109, { text: "Mi mesa", media: { type: "image", mime: "image/png", base64 } });
      await does("say", 109, {
        media: { type: "audio", mime: "audio/ogg", base64: Buffer.from("OggS").toString("base64") },
      });
      await does("say", 109, {
        media: { type: "document", mime: "text/html", base64: "PGh0bWw+", filename: "raro.html" },
      });
      const withdrawn = await says(109, "Esto se borra");
      await sayKind("revoke", { original_message_id: withdrawn.id });
      const edited = await says(109, "Somos 4");
      await sayKind("edit", { original_message_id: edited.id, message: { type: "text", text: { body: "Somos 14" } } });
      await does("say", 109, { text: "Sobre lo primero", reply_to: first.id });
    });

    it("is shown, and asks no other host for anything", async () => {
      const page = await seat(ana, "inbox/109");
      const asked = new Set<string>();
      page.on("request", (request) => asked.add(new URL(request.url()).origin));
      await page.setViewportSize({ width: 1_000, height: 2_400 });
      await thread(page).getByText("Sobre lo primero").waitFor();
      await thread(page).getByRole("link", { name: "https://example.com/a" }).waitFor();
      await thread(page).getByText("-16.50000, -68.10000").waitFor();
      expect(await thread(page).getByRole("link", { name: "Abrir en un mapa" }).getAttribute("target")).to.equal(
        "_blank",
      );
      await thread(page).getByText("SKU-1").waitFor();
      await thread(page).getByText("El cliente eliminó este mensaje").waitFor();
      await thread(page).getByText("Somos 14").waitFor();
      await thread(page).getByText("Editado").waitFor();
      for (const gone of ["Esto se borra", "Somos 4"])
        expect(await thread(page).getByText(gone, { exact: true }).count()).to.equal(0);
      await thread(page).getByText("El archivo no se pudo traer: El archivo es de un tipo que no se guarda").waitFor();
      expect([...asked]).to.deep.equal([world.api]);
    });

    it("opens pictures over the page, and gives the focus back", async () => {
      const page = await seat(ana, "inbox/109");
      const picture = thread(page).getByRole("button", { name: "Ver imagen: Mi mesa" });
      await picture.focus();
      await page.keyboard.press("Enter");
      await page
        .getByRole("dialog", { name: /^Imagen de/ })
        .getByText("Mi mesa")
        .waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await eventually(() => picture.evaluate((button) => button === button.ownerDocument.activeElement));
    });

    for (const colorScheme of ["light", "dark"] as const) {
      it(`has nothing that axe objects to, in ${colorScheme}`, async () => {
        const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
        const page = await seat(ana, "inbox/109");
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const check = async (what: string): Promise<void> => {
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() =>
            (globalThis as unknown as { axe: { run(what: object): Promise<AxeResults> } }).axe.run({
              exclude: ["[aria-label=Bandeja]", ".mantine-Avatar-root"],
            }),
          );
          expect(
            violations.map(({ id, nodes }) => `${what} ${id}: ${nodes.map(({ html }) => html).join(" | ")}`),
          ).to.deep.equal([]);
        };
        await page.setViewportSize({ width: 1_200, height: 2_400 });
        await thread(page).getByText("Sobre lo primero").waitFor();
        await check("thread");
        await composer(page).fill("/");
        await page.getByRole("listbox").getByRole("option").first().waitFor();
        await check("quick replies");
        await composer(page).fill("");
        await page.getByRole("button", { name: "Emoji" }).click();
        await page.getByRole("searchbox", { name: "Buscar emoji" }).fill("gato");
        await check("emoji");
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Plantillas" }).click();
        await page.getByRole("button", { name: /Pedido listo/ }).waitFor();
        await check("templates");
      });
    }
  });
});
