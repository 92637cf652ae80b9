import { expect } from "chai";
import type { Page } from "playwright-core";
import type { MessageFixture } from "../../src/fixtures/businesses/business.ts";
import { eventually } from "../support/wait.ts";
import { aThread } from "../support/world.ts";
import { axeViolations } from "./axe.ts";
import { admin, ana, composer, picture, setThreadStage, thread } from "./thread-bench.ts";

const threads = [
  aThread(109, { name: "Cliente 9", state: "pending" }),
  aThread(120, { name: "Muy hablador", messages: Array.from({ length: 5_000 }, (_, index) => spoken(index)) }),
];

function spoken(index: number): MessageFixture {
  const at = new Date(Date.UTC(2026, 0, 2, 3) + index * 60_000);
  const body = `Mensaje ${index + 1}. ${"Más palabras. ".repeat(index % 7)}`.trim();
  return { direction: "in", body, author: "contact", authorName: "Muy hablador", state: "received", at };
}

describe("the console's thread", () => {
  const { stage, seat, does, says, received } = setThreadStage(threads);

  describe("with many messages", () => {
    const drawn = (page: Page) => thread(page).getByRole("article").count();
    const topOf = (page: Page, text: string) =>
      thread(page)
        .getByText(text, { exact: true })
        .evaluate((shown) => Math.round(shown.getBoundingClientRect().top));

    /** The text of a message in the middle of the visible part. Waits until the thread neither moves nor loads. */
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

    it("keeps few messages in the page, and keeps the reading position when others arrive", async () => {
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

    it("scrolls to a quoted message, also far away", async () => {
      const [original] = await stage.world.rows<{ platform_message_id: string }>(
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

  describe("with every kind of message", () => {
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
      const reply = { nombre: "horario", texto: "Abrimos de 9 a 18." };
      expect((await stage.world.post("/admin/quick-replies", reply)).status).to.equal(201);
    });

    it("shows them all, and sends no request to another host", async () => {
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
      expect([...asked]).to.deep.equal([stage.world.api]);
    });

    it("shows an order whose currency has no code", async () => {
      const page = await seat(ana, "inbox");
      await page.route("**/chats/109/messages?*", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replaceAll('"BOB"', '"Bs."') });
      });
      await page.getByRole("listitem").filter({ hasText: "Cliente 9" }).click();
      await thread(page).getByText("SKU-1").waitFor();
      await thread(page).getByText("42,00").first().waitFor();
    });

    it("sends a failed text again once after a double click", async () => {
      const page = await seat(ana, "inbox/109");
      await composer(page).fill("Va a fallar");
      await page.keyboard.press("Enter");
      await eventually(async () => (await received(109, "Va a fallar")) === 1);
      await page.route("**/chats/109/messages?*", async (route) => {
        const response = await route.fetch();
        const { data, ...rest } = await response.json();
        const failed = (message: { texto: string }) =>
          message.texto === "Va a fallar" ? { ...message, estado: "failed" } : message;
        await route.fulfill({ response, json: { ...rest, data: data.map(failed) } });
      });
      await page.reload();
      await page.getByRole("button", { name: "Enviar de nuevo" }).dblclick();
      await eventually(async () => (await received(109, "Va a fallar")) >= 2);
      await eventually(() => page.evaluate("Object.keys(localStorage).every((name) => !name.includes('outbox'))"));
      expect(await received(109, "Va a fallar")).to.equal(2);
    });

    it("links an order from the catalog to the board", async () => {
      const page = await seat(ana, "inbox/109");
      await page.setViewportSize({ width: 1_000, height: 2_400 });
      const [order] = await stage.world.rows<{ id: number }>("select id from orders where chat_id = 109");
      await thread(page)
        .getByRole("link", { name: `Ver el pedido ${order?.id}` })
        .click();
      await page.getByRole("dialog").waitFor();
      expect(new URL(page.url()).pathname).to.equal(`/console/orders/${order?.id}`);
    });

    it("shows a reaction until the customer removes it", async () => {
      const page = await seat(ana, "inbox/109");
      await page.setViewportSize({ width: 1_000, height: 2_400 });
      const reactions = thread(page).getByRole("list", { name: "Reacciones" });
      const { id } = await says(109, "Qué rico");
      await does("react", 109, { message_id: id, emoji: "😮" });
      await reactions.getByRole("img", { name: /reaccionó con 😮$/ }).waitFor();
      await does("react", 109, { message_id: id, emoji: "❤️" });
      await reactions.getByRole("img", { name: /reaccionó con ❤️$/ }).waitFor();
      expect(await reactions.getByText("😮").count()).to.equal(0);
      await does("react", 109, { message_id: id, emoji: "" });
      await reactions.getByText("❤️").waitFor({ state: "detached" });
      await reactions.getByText("👍").waitFor();
    });

    it("opens pictures over the page, and returns the focus", async () => {
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
      it(`passes axe in ${colorScheme}`, async () => {
        const page = await seat(ana, "inbox/109");
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const check = async (what: string): Promise<void> => {
          expect(await axeViolations(page), what).to.deep.equal([]);
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
