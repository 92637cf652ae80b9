import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../support/wait.ts";
import { aThread } from "../support/world.ts";
import { ana, composer, dropFiles, picture, sendButton, setThreadStage, thread } from "./thread-bench.ts";

const threads = Array.from({ length: 10 }, (_, index) =>
  aThread(101 + index, { name: `Cliente ${index + 1}`, state: "pending" }),
);

describe("the console's composer", () => {
  const { stage, seat, says, received } = setThreadStage(threads);

  describe("files", () => {
    const image = (name: string) => ({ name, type: "image/png", content: picture });

    it("are sent once when they are dropped, with the text below the first file", async () => {
      await says(101, "¿Tiene foto?");
      const page = await seat(ana, "inbox/101");
      await thread(page).getByText("¿Tiene foto?").waitFor();
      await dropFiles(page, [
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

    it("are refused with a reason if no channel takes their type or size", async () => {
      const page = await seat(ana, "inbox/101");
      await composer(page).waitFor();
      await dropFiles(page, [
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

    it("survive a reload before the message is sent, and can be removed", async () => {
      await says(102, "Hola");
      const page = await seat(ana, "inbox/102");
      await composer(page).waitFor();
      await dropFiles(page, [image("una.png"), image("otra.png")]);
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
        expect((await stage.world.post("/admin/quick-replies", { nombre, texto })).status).to.equal(201);
    });

    it("are found by a slash and a word, chosen by keyboard, and sent with their placeholders filled in", async () => {
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

    it("show which fields of the contact are not loaded yet", async () => {
      const reply = { nombre: "talla", texto: "Su talla es {{contacto.Talla}}." };
      expect((await stage.world.post("/admin/quick-replies", reply)).status).to.equal(201);
      const page = await seat(ana, "inbox/103");
      await composer(page).waitFor();
      await page.route(/\/chats\/103$/, (route) => route.abort());
      await composer(page).focus();
      await page.keyboard.type("/talla");
      await page.getByRole("option", { name: /talla/ }).click();
      expect(await composer(page).inputValue()).to.equal("Su talla es {{contacto.Talla}}.");
    });

    it("with an audio file send the text as a message of its own", async () => {
      const reply = { nombre: "saludo", texto: "Escuche esto.", media_url: "https://cdn.test/saludo.mp3" };
      expect((await stage.world.post("/admin/quick-replies", reply)).status).to.equal(201);
      await says(110, "Hola");
      const page = await seat(ana, "inbox/110");
      await composer(page).focus();
      await page.keyboard.type("/saludo");
      await page.getByRole("option", { name: /saludo/ }).click();
      await page.getByRole("list", { name: "Archivos adjuntos" }).getByText("saludo").waitFor();
      const sent: string[] = [];
      page.on("request", (asked) => {
        if (asked.method() === "POST" && asked.url().endsWith("/chats/110/messages")) sent.push(asked.postData() ?? "");
      });
      await sendButton(page).click();
      await eventually(() => sent.length === 2);
      expect(sent[0]).to.include("Escuche esto.").and.not.include("saludo.mp3");
      expect(sent[1]).to.include("saludo.mp3").and.not.include("Escuche esto.");
    });

    it("do not open at other slashes", async () => {
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

  describe("a note that is not sent yet", () => {
    const noteButton = (page: Page) => page.getByRole("button", { name: "Nota interna" });
    const isNote = async (page: Page): Promise<boolean> =>
      (await noteButton(page).getAttribute("aria-pressed")) === "true";
    const beginNote = async (chat: number, text: string): Promise<Page> => {
      await says(chat, "¿Hay mesa?");
      const page = await seat(ana, `inbox/${chat}`);
      await noteButton(page).click();
      await composer(page).fill(text);
      return page;
    };

    it("is still a note after another chat was open, and after a reload", async () => {
      const page = await beginNote(106, "Ojo, paga tarde");
      await page.getByRole("list", { name: "Chats" }).getByText("Cliente 7").click();
      await eventually(async () => (await composer(page).inputValue()) === "");
      expect(await isNote(page)).to.equal(false);
      for (const comeBack of [() => page.goBack(), () => page.reload()]) {
        await comeBack();
        await eventually(async () => (await composer(page).inputValue()) === "Ojo, paga tarde");
        expect(await isNote(page)).to.equal(true);
      }
      await composer(page).press("Enter");
      await thread(page).getByText("Ojo, paga tarde").waitFor();
      await composer(page).fill("Claro que sí");
      await composer(page).press("Enter");
      await eventually(async () => (await received(106, "Claro que sí")) === 1);
      expect(await received(106, "Ojo, paga tarde")).to.equal(0);
    });

    it("does not go to the customer with a dropped file, and is kept", async () => {
      const page = await beginNote(107, "Cobrarle el doble");
      await dropFiles(page, [{ name: "mesa.png", type: "image/png", content: picture }]);
      await page.getByRole("list", { name: "Archivos adjuntos" }).getByText("mesa.png").waitFor();
      expect(await isNote(page)).to.equal(false);
      expect(await composer(page).inputValue()).to.equal("");
      await eventually(() => sendButton(page).isEnabled());
      await sendButton(page).click();
      await eventually(async () => (await received(107, ".png")) === 1);
      expect(await received(107, "Cobrarle el doble")).to.equal(0);
      await noteButton(page).click();
      expect(await composer(page).inputValue()).to.equal("Cobrarle el doble");
    });

    it("becomes a message only if the user says so and no message is begun", async () => {
      const page = await beginNote(108, "Para el cliente");
      await noteButton(page).click();
      expect(await composer(page).inputValue()).to.equal("Para el cliente");
      await page.reload();
      await eventually(async () => (await composer(page).inputValue()) === "Para el cliente");
      expect(await isNote(page)).to.equal(false);
    });
  });

  it("inserts an emoji at the cursor", async () => {
    const page = await seat(ana, "inbox/103");
    await composer(page).fill("Gracias ");
    await page.getByRole("button", { name: "Emoji" }).click();
    await page.getByRole("searchbox", { name: "Buscar emoji" }).fill("corazón rojo");
    await page.getByRole("button", { name: "corazón rojo", exact: true }).click();
    await eventually(async () => (await composer(page).inputValue()) === "Gracias ❤️");
  });

  it("keeps its height when the customer writes after the service window", async () => {
    const page = await seat(ana, "inbox/105");
    await page.getByText("Pasaron 24 h desde el último mensaje del cliente.").waitFor();
    const before = await thread(page).boundingBox();
    await says(105, "Buenas tardes");
    await page.getByText("Ventana abierta: 23:59 h").waitFor();
    expect(await thread(page).boundingBox()).to.deep.equal(before);
  });

  it("offers a template after the service window, previews it filled in and sends it", async () => {
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
});
