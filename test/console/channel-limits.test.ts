import { expect } from "chai";
import type { Page } from "playwright-core";
import type { CustomerChannel } from "../../src/sandbox/core/route.ts";
import { addressesOf, connectChannels, onEveryChannel } from "../support/channels.ts";
import { eventually } from "../support/wait.ts";
import { aTemplate } from "../support/world.ts";
import { setStage, wide } from "./stage.ts";
import { composer, dropFiles, picture, sendButton, thread } from "./thread-bench.ts";

const agent = 101;
const customers = { cloud: "59174000001", page: "59174000002", photo: "59174000003", "provider-b": "59174000004" };
type Tried = keyof typeof customers & CustomerChannel;

const templates = [
  aTemplate(101, {
    name: "Carta por B",
    body: "Nuestra carta.",
    provider: "ProviderB",
    providerBId: "HX1",
    headerType: "DOCUMENT",
  }),
];

const quickReplies = [
  { nombre: "foto", texto: "Una foto.", media_url: "https://files.example.com/plato.jpg?v=2" },
  { nombre: "dibujo", texto: "Un dibujo.", media_url: "https://files.example.com/plato" },
  { nombre: "canción", texto: "a".repeat(1_590), media_url: "https://files.example.com/cancion.mp3?v=2" },
  { nombre: "guía", texto: "Una guía.", media_url: "https://files.example.com/guia.txt?v=2" },
];

describe("the console's composer on each channel", () => {
  const businesses = [onEveryChannel(1, { templates })];
  const stage = setStage({
    ...{ viewport: wide, keepsMedia: true, businesses },
    fill: async (world) => {
      await connectChannels(world, businesses);
      for (const reply of quickReplies) expect((await world.post("/admin/quick-replies", reply)).status).to.equal(201);
    },
  });

  /** Opens the chat of a customer who has just written on the channel. */
  async function openOn(channel: Tried): Promise<Page> {
    const text = `Hola por ${channel}`;
    await stage.world.control("POST", `/customers/${customers[channel]}/say`, {
      ...{ channel, to: addressesOf(1)[channel], text },
    });
    const page = await stage.seat(agent);
    await page.getByRole("list", { name: "Chats" }).getByRole("listitem").filter({ hasText: text }).first().click();
    await thread(page).getByText(text).first().waitFor();
    return page;
  }
  /** Replaces the text of the composer by a quick reply. */
  async function choose(page: Page, reply: string): Promise<void> {
    await composer(page).fill("");
    await composer(page).pressSequentially(`/${reply}`);
    await eventually(async () => (await page.getByRole("option").count()) === 1);
    await composer(page).press("Enter");
  }
  /** The messages that the customer has received, as one text. */
  const sentTo = async (channel: Tried): Promise<string> =>
    JSON.stringify(await stage.world.control("GET", `/messages?to=${customers[channel]}`));

  it("says how much text fits, and does not send more", async () => {
    const page = await openOn("photo");
    await composer(page).fill("ñ".repeat(300));
    expect(await page.getByText(/Quedan? \d/).count()).to.equal(0);
    await composer(page).fill("ñ".repeat(490));
    await page.getByText("Quedan 20 bytes").waitFor();
    await composer(page).fill("ñ".repeat(501));
    await page.getByRole("alert").getByText("Instagram admite 1000 bytes").waitFor();
    await page.getByText("Sobran 2 bytes.").waitFor();
    expect(await sendButton(page).isEnabled()).to.equal(false);
    await composer(page).press("Enter");
    expect(await composer(page).inputValue()).to.equal("ñ".repeat(501));
    // A note is not sent to the customer, so its text may be longer.
    await page.getByRole("button", { name: "Nota interna" }).click();
    expect(await sendButton(page).isEnabled()).to.equal(true);
    await page.getByRole("button", { name: "Nota interna" }).click();
    await composer(page).fill("ñ".repeat(500));
    await sendButton(page).click();
    await eventually(async () => (await sentTo("photo")).includes("ñ".repeat(500)));
  });

  it("keeps all of a long pasted text, and shows the limit of the channel", async () => {
    const page = await openOn("provider-b");
    await composer(page).fill("a".repeat(5_000));
    await page.getByText("WhatsApp B admite 1600 caracteres. Sobran 3400 caracteres.").waitFor();
    expect((await composer(page).inputValue()).length).to.equal(5_000);
  });

  it("counts the link of a file that is sent below its text", async () => {
    const page = await openOn("page");
    await composer(page).fill("a".repeat(1_990));
    await page.getByText("Quedan 10 caracteres").waitFor();
    await dropFiles(page, [{ name: "plato.png", type: "image/png", content: picture }]);
    await page.getByRole("alert").getByText("Messenger admite 2000 caracteres").waitFor();
    expect(await sendButton(page).isEnabled()).to.equal(false);
    await page.getByRole("button", { name: "Quitar plato.png" }).click();
    await page.getByText("Quedan 10 caracteres").waitFor();
  });

  it("does not count the link of a file that has the text as its caption", async () => {
    const page = await openOn("provider-b");
    await composer(page).fill("b".repeat(1_590));
    await dropFiles(page, [{ name: "plato.png", type: "image/png", content: picture }]);
    await page.getByRole("list", { name: "Archivos adjuntos" }).getByText("plato.png").waitFor();
    await eventually(() => sendButton(page).isEnabled());
    await page.getByText("Quedan 10 caracteres").waitFor();
    await sendButton(page).click();
    await eventually(async () => (await sentTo("provider-b")).includes("b".repeat(1_590)));
    // Audio has no caption, so the text is a message of its own.
    await choose(page, "canción");
    await eventually(() => sendButton(page).isEnabled());
    expect(await page.getByRole("alert").getByText("WhatsApp B admite 1600 caracteres").count()).to.equal(0);
  });

  it("attaches the file of a quick reply on another host, unless the channel is known not to take it", async () => {
    const page = await openOn("photo");
    const attached = page.getByRole("list", { name: "Archivos adjuntos" }).getByRole("listitem");
    await choose(page, "foto");
    await attached.getByText("foto").waitFor();
    await choose(page, "dibujo");
    await attached.getByText("dibujo").waitFor();
    await choose(page, "guía");
    await page.getByText("Instagram no admite guía.").waitFor();
    expect(await attached.count()).to.equal(2);
  });

  it("checks a template's file for the channel by which the template is sent", async () => {
    const page = await openOn("cloud");
    await page.getByRole("button", { name: "Plantillas", exact: true }).click();
    await page.getByRole("button", { name: /Carta por B/ }).click();
    const file = page.getByRole("dialog").locator("input[type=file]");
    await file.setInputFiles({ name: "carta.txt", mimeType: "text/plain", buffer: Buffer.from("Sopa") });
    await page.getByRole("dialog").getByText("WhatsApp B no admite carta.txt.").waitFor();
  });

  it("works while a process of the previous version answers, which does not tell the limits", async () => {
    const page = await openOn("cloud");
    await page.route(`${stage.world.api}/me`, async (route) => {
      const answer = await route.fetch();
      const { canales: _, ...older } = await answer.json();
      await route.fulfill({ response: answer, json: older });
    });
    await page.reload();
    await composer(page).fill("Durante la actualización");
    await page.getByRole("button", { name: "Plantillas", exact: true }).waitFor();
    await dropFiles(page, [{ name: "carta.docx", type: "", content: Buffer.from("PK") }]);
    await page.getByRole("list", { name: "Archivos adjuntos" }).getByText("carta.docx").waitFor();
    await page.getByRole("button", { name: "Quitar carta.docx" }).click();
    await sendButton(page).click();
    await eventually(async () => (await sentTo("cloud")).includes("Durante la actualización"));
  });

  it("takes only the files that the channel takes", async () => {
    const letter = { name: "carta.docx", type: "", content: Buffer.from("PK") };
    const list = { name: "precios.pdf", type: "application/pdf", content: Buffer.from("%PDF-1.4\n%%EOF") };
    const page = await openOn("photo");
    await dropFiles(page, [letter, list]);
    await page.getByText("Instagram no admite carta.docx. Sirven: JPG, JPEG, PNG, MP4, AAC, M4A, PDF.").waitFor();
    const tray = page.getByRole("list", { name: "Archivos adjuntos" });
    await tray.getByText("precios.pdf").waitFor();
    expect(await tray.getByRole("listitem").count()).to.equal(1);
    const accepted = await page.locator("input[type=file]").getAttribute("accept");
    expect(accepted).to.include(".pdf").and.not.include(".docx");
    const cloud = await openOn("cloud");
    await dropFiles(cloud, [letter]);
    await cloud.getByRole("list", { name: "Archivos adjuntos" }).getByText("carta.docx").waitFor();
  });

  it("offers replies and templates only where the channel has them", async () => {
    for (const [channel, replies, templates] of [
      ["cloud", 1, 1],
      ["page", 1, 0],
      ["provider-b", 0, 1],
    ] as const) {
      const page = await openOn(channel);
      await thread(page).getByRole("article").last().hover();
      const offered = async (name: string) => page.getByRole("button", { name, exact: true }).count();
      expect((await offered("Responder")) > 0, `${channel} replies`).to.equal(replies > 0);
      expect(await offered("Plantillas"), `${channel} templates`).to.equal(templates);
    }
  });
});
