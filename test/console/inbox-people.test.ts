import { expect } from "chai";
import type { Page } from "playwright-core";
import { pageChannel } from "../../src/kernel/channels.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread } from "../support/world.ts";
import { axeViolations } from "./axe.ts";
import { cuttableProxy } from "./browser.ts";
import { setStage, wide } from "./stage.ts";

const [admin, ana, beto] = [101, 102, 103];
const pageId = "1040000000000011";

const users = [
  { id: admin, name: "Ada Admin", email: "admin@b1.test", roleId: 1, available: false },
  { id: ana, name: "Ana Agente", email: "agent@b1.test", roleId: 5, available: true },
  { id: beto, name: "Beto Bueno", email: "beto@b1.test", roleId: 5, available: true },
];

const line = (number: number, direction: "in" | "out" = "in") => ({
  direction,
  body: `Línea número ${number}.`,
  author: direction === "in" ? ("contact" as const) : ("bot" as const),
  authorName: "Mucho que leer",
  state: direction === "in" ? "received" : "sent",
  at: new Date(Date.UTC(2026, 0, 2, 3, number - 1)),
});
const unreadMessages = Array.from({ length: 60 }, (_, index) => line(index + 1));
/** Message 11 is from the bot. The console first loads the last 50 messages, and message 11 is the oldest of these. */
const withBot = unreadMessages.map((message, index) => (index === 10 ? line(11, "out") : message));

const threads = [
  ...Array.from({ length: 8 }, (_, index) => aThread(101 + index, { name: `Cliente ${index + 1}`, state: "pending" })),
  aThread(110, { name: "Nuria Nueva", state: "pending", unread: 1 }),
  aThread(140, { name: "Recién llegada", state: "pending", unread: 25, messages: unreadMessages.slice(-25) }),
  aThread(141, { name: "Una página", state: "pending", unread: 50, messages: unreadMessages }),
  aThread(142, { name: "Más de una página", state: "pending", unread: 55, messages: withBot }),
  aThread(109, { name: "Mucho que leer", state: "pending", unread: 30, messages: unreadMessages }),
];

const list = (page: Page) => page.getByRole("list", { name: "Chats" });
const row = (page: Page, name: string) => list(page).getByRole("listitem").filter({ hasText: name });
const thread = (page: Page) => page.getByRole("log", { name: "Mensajes" });
const composer = (page: Page) => page.getByRole("textbox", { name: "Mensaje" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const focused = (page: Page) => page.locator(":focus");

describe("the console's inbox with several users", () => {
  const stage = setStage({
    viewport: wide,
    businesses: [
      aBusiness(1, {
        users,
        threads,
        otherSenders: [
          { channel: pageChannel, platformId: pageId, token: "page-token", accountId: "", phone: "59120000001" },
        ],
      }),
    ],
    fill: async (world) => {
      await world.control("POST", "/pages", { pageId, channel: pageChannel, token: "page-token" });
    },
  });
  const phoneOf = (chat: number): string => `5917000${String(chat).padStart(4, "0")}`;
  const says = (chat: number, text: string, name?: string) =>
    stage.world.control("POST", `/customers/${phoneOf(chat)}/say`, { to: "number-1", text, ...(name && { name }) });
  const act = async (userId: number, chat: number, what: string, body?: object): Promise<void> => {
    const answer = await fetch(`${stage.world.api}/chats/${chat}/${what}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${await stage.world.sessionToken(userId)}`,
        "content-type": "application/json",
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(answer.ok, await answer.text()).to.equal(true);
  };

  it("shows the name of a page's customer when the platform sends it", async () => {
    const customer = "24000000000003616";
    const page = await stage.seat(admin);
    await stage.world.control("POST", `/customers/${customer}/say`, {
      ...{ to: pageId, channel: "page", text: "¿Abren hoy?", name: "Ana Rojas" },
    });
    await row(page, "¿Abren hoy?").click();
    await row(page, "Ana Rojas").waitFor();
    await page.getByRole("heading", { name: "Ana Rojas" }).waitFor();
    expect(await list(page).getByText(customer).count()).to.equal(0);
  });

  /** Opens chat 103, whose customer then writes the text. The page receives no events until `connect` is called. */
  async function missing(text: string) {
    const page = await stage.visitor();
    await page
      .context()
      .addCookies([{ name: "recado_session", value: await stage.world.sessionToken(admin), url: stage.world.api }]);
    let mayConnect = false;
    let interrupt = (): void => {};
    await page.routeWebSocket(/socket\.io/, async (socket) => {
      interrupt = () => void socket.close();
      await eventually(() => mayConnect);
      socket.connectToServer();
    });
    await page.goto(`${stage.world.api}/console/inbox/103`);
    await thread(page).getByText("Hola", { exact: true }).waitFor();
    await row(page, "Cliente 3").waitFor();
    await says(103, text);
    await eventually(async () => {
      const [chat] = await stage.world.rows("select 1 from messages where chat_id = 103 and body = $1", [text]);
      return chat !== undefined;
    });
    const connect = (): void => {
      mayConnect = true;
    };
    return { page, connect, interrupt: () => interrupt() };
  }

  it("shows a message that arrives while the page connects", async () => {
    const { page, connect } = await missing("Mientras conecta");
    connect();
    await thread(page).getByText("Mientras conecta").waitFor();
    await row(page, "Cliente 3").getByText("Mientras conecta").waitFor();
  });

  it("shows a missed message after the next connection if it could not be loaded after the first one", async () => {
    const { page, connect, interrupt } = await missing("Se perdió");
    await page.route("**/chats/103/messages?*", (route) => route.fulfill({ status: 403, json: {} }), { times: 1 });
    const refused = page.waitForResponse(/\/chats\/103\/messages/);
    connect();
    await refused;
    await row(page, "Cliente 3").getByText("Se perdió").waitFor();
    expect(await thread(page).getByText("Se perdió").count()).to.equal(0);
    interrupt();
    await thread(page).getByText("Se perdió").waitFor();
  });

  it("says who wrote last: a colleague, the user, or the author of a note", async () => {
    const [mine, others] = [await stage.seat(ana, "inbox/101"), await stage.seat(admin)];
    await says(101, "Buenas");
    await composer(mine).fill("Ahora mismo");
    await button(mine, "Enviar").click();
    await row(mine, "Cliente 1").getByText("Tú: Ahora mismo").waitFor();
    await row(others, "Cliente 1").getByText("Ana: Ahora mismo").waitFor();
    await composer(mine).fill("Paga con QR");
    await button(mine, "Nota interna").click();
    await button(mine, "Enviar").click();
    for (const page of [mine, others]) await row(page, "Cliente 1").getByText("Nota: Paga con QR").waitFor();
  });

  it("keeps a chat and the draft readable when a colleague takes the chat", async () => {
    const page = await stage.seat(ana, "inbox/102");
    await thread(page).getByText("Hola", { exact: true }).waitFor();
    await composer(page).fill("Casi termino de escribir");
    await act(beto, 102, "take");
    await page.getByText("Este chat ya no está en tu bandeja.").waitFor();
    await thread(page).getByText("Hola", { exact: true }).waitFor();
    expect(await composer(page).inputValue()).to.equal("Casi termino de escribir");
    expect(await composer(page).isEditable()).to.equal(false);
    await page.getByText("Mensaje", { exact: true }).waitFor();
    expect(await button(page, "Enviar").count()).to.equal(0);
    await focused(page)
      .and(page.getByRole("link", { name: "Volver a los chats" }))
      .press("Enter");
    await eventually(() => new URL(page.url()).pathname === "/console/inbox");
    await row(page, "Cliente 2").waitFor({ state: "detached" });
  });

  it("does not return a lost chat because of the late answer to an action", async () => {
    const page = await stage.seat(ana, "inbox/107");
    let isLost = false;
    await page.route("**/chats/107/bot", async (route) => {
      const response = await route.fetch();
      await eventually(() => isLost);
      await route.fulfill({ response });
    });
    const answered = page.waitForResponse(/\/chats\/107\/bot/);
    await page.getByRole("switch", { name: "El bot atiende" }).click();
    await act(beto, 107, "take");
    await page.getByText("Este chat ya no está en tu bandeja.").waitFor();
    isLost = true;
    await (await answered).finished();
    await page.waitForTimeout(300);
    expect(await button(page, "Enviar").count()).to.equal(0);
  });

  it("says who took a chat first", async () => {
    const page = await stage.seat(ana, "inbox/103");
    await button(page, "Tomar").waitFor();
    // The colleague takes the chat after the click, but before the service gets the page's own request.
    await page.route("**/chats/103/take", async (route) => {
      await act(beto, 103, "take");
      await route.continue();
    });
    await button(page, "Tomar").click();
    await page.getByText("Beto Bueno tomó este chat.").waitFor();
    await thread(page).getByText("Hola", { exact: true }).waitFor();
  });

  it("moves the focus to the next step, and closes a chat with a reason", async () => {
    const page = await stage.seat(ana, "inbox/104");
    await button(page, "Tomar").press("Enter");
    await focused(page).and(composer(page)).waitFor();
    await button(page, "Cerrar").press("Enter");
    await page.getByRole("menuitem", { name: "Cerrar el chat" }).waitFor();
    expect(await axeViolations(page, ["aria-required-children", "region"])).to.deep.equal([]);
    // The chat has no ticket, so the menu offers no ways to end a ticket.
    expect(await page.getByRole("menuitem", { name: /Ticket/ }).count()).to.equal(0);
    await page.getByRole("menuitem", { name: "Cerrar con un motivo…" }).click();
    await page.getByRole("textbox", { name: "Motivo" }).fill("Compró en tienda");
    await page.getByRole("dialog").getByRole("button", { name: "Cerrar el chat" }).click();
    await page.getByText(/· Cerrado ·/).waitFor();
    await focused(page)
      .and(page.getByRole("heading", { name: "Cliente 4" }))
      .waitFor();
    await page.getByText("Compró en tienda").waitFor();
  });

  it("keeps messages and chats in place while customers write and a colleague takes the chat and answers", async () => {
    // The first message opens the service window, which changes the composer. Layout shifts are recorded after that.
    await says(110, "Buenas");
    const page = await stage.seat(admin, "inbox/110");
    await thread(page).getByText("2 mensajes sin leer").waitFor();
    await list(page).getByText("Nuria Nueva").waitFor();
    await page.getByRole("link", { name: /No leídos \d/ }).waitFor();
    await page.getByRole("switch", { name: "El bot atiende" }).waitFor({ state: "attached" });
    // A text may move within its line. The panel (`aside`) may move because it shows the bot's new state.
    await page.evaluate(`
      moved = [];
      const note = (entries) => {
        for (const { sources } of entries)
          for (const { node } of sources)
            if (node instanceof Element && !node.closest("aside")) moved.push(node.className + ": " + node.textContent);
      };
      observer = new PerformanceObserver((list) => note(list.getEntries()));
      observer.observe({ type: "layout-shift" });
      end = () => {
        note(observer.takeRecords());
        return moved;
      };
    `);
    for (const text of ["¿Hola?", "Una pregunta larga. ".repeat(20).trim(), "Gracias"]) {
      await says(110, text);
      await thread(page).getByText(text, { exact: true }).waitFor();
      await says(101, `Otro mensaje tras ${text.length} letras`);
      await row(page, "Cliente 1").getByText(`Otro mensaje tras ${text.length} letras`).waitFor();
    }
    const colleague = await stage.seat(beto, "inbox/110");
    await page.getByText("Beto Bueno también mira este chat").waitFor();
    await button(colleague, "Tomar").click();
    await button(page, "Tomar").waitFor({ state: "detached" });
    await composer(colleague).fill("Ya le ayudo");
    await button(colleague, "Enviar").click();
    await thread(page).getByText("Ya le ayudo").waitFor();
    await colleague.close();
    await page.getByText("Beto Bueno también mira este chat").waitFor({ state: "detached" });
    expect(await page.evaluate<string[]>("end()")).to.deep.equal([]);
  });

  it("opens a thread at the first unread message, and marks visible messages as read", async () => {
    const page = await stage.seat(admin, "inbox/109");
    const separator = thread(page).getByText("30 mensajes sin leer");
    await separator.waitFor();
    const unread = async (): Promise<number> => {
      const [chat] = await stage.world.rows<{ unread: number }>("select unread from chats where id = 109");
      return Number(chat?.unread);
    };
    await eventually(async () => (await unread()) < 30);
    expect(await unread()).to.be.greaterThan(0);
    expect(
      await separator.evaluate((line) => {
        const frame = line.closest("[role=log]")?.getBoundingClientRect();
        const { top, bottom } = line.getBoundingClientRect();
        return frame !== undefined && top >= frame.top && bottom <= frame.bottom;
      }),
    ).to.equal(true);
    await page.getByRole("button", { name: /Ir a lo último/ }).click();
    await eventually(async () => (await unread()) === 0);
    // The thread renders only the rows around the visible ones.
    const goBack = () =>
      eventually(async () => {
        await thread(page).evaluate((frame) => frame.scrollBy(0, -frame.clientHeight / 2));
        return thread(page).getByText("Línea número 31.").isVisible();
      });
    await goBack();
    expect(await separator.count()).to.equal(1);
    // A customer's message opens the service window, so that the agent can answer.
    await says(109, "Otra cosa");
    await composer(page).fill("Ya leí todo");
    await button(page, "Enviar").click();
    await thread(page).getByText("Ya leí todo").waitFor();
    await goBack();
    expect(await separator.count()).to.equal(0);
  });

  const isInView = (page: Page, text: string) =>
    thread(page)
      .getByText(text, { exact: true })
      .evaluateAll(([said]) => {
        const frame = said?.closest("[role=log]")?.getBoundingClientRect();
        const box = said?.getBoundingClientRect();
        return frame !== undefined && box !== undefined && box.top >= frame.top && box.bottom <= frame.bottom;
      });

  it("opens a chat at the first unread message when the loaded messages begin with it", async () => {
    const page = await stage.seat(admin, "inbox/141");
    await eventually(() => isInView(page, "Línea número 11."));
    expect(await isInView(page, "Línea número 60.")).to.equal(false);
  });

  it("opens a chat at its end when more messages are unread than are loaded", async () => {
    const page = await stage.seat(admin, "inbox/142");
    await eventually(() => isInView(page, "Línea número 60."));
  });

  it("opens a new customer's chat at the first message, and marks only visible messages as read", async () => {
    const page = await stage.seat(admin, "inbox/140");
    await eventually(() => isInView(page, "Línea número 36."));
    expect(await isInView(page, "Línea número 60.")).to.equal(false);
    const unread = async (): Promise<number> => {
      const [chat] = await stage.world.rows<{ unread: number }>("select unread from chats where id = 140");
      return Number(chat?.unread);
    };
    await eventually(async () => (await unread()) < 25);
    expect(await unread()).to.be.greaterThan(0);
  });

  it("does not send a search for quick replies when Enter is pressed", async () => {
    await says(105, "Buenas");
    const page = await stage.seat(ana, "inbox/105");
    await composer(page).fill("/zzzz");
    await page
      .getByText(/respuesta/i)
      .first()
      .waitFor();
    await composer(page).press("Enter");
    expect(await composer(page).inputValue()).to.equal("/zzzz");
    await composer(page).press("Escape");
    await composer(page).press("Enter");
    await eventually(async () => (await composer(page).inputValue()) === "");
    await thread(page).getByText("/zzzz").waitFor();
  });

  it("does not move the page when the connection is lost", async () => {
    for (const viewport of [wide, { width: 360, height: 740 }]) {
      const proxy = await cuttableProxy(stage.world.api);
      try {
        const page = await stage.seat(ana, "inbox/106", proxy.url);
        await page.setViewportSize(viewport);
        await composer(page).waitFor();
        const places = async () => [
          await composer(page).boundingBox(),
          await page.getByRole("heading", { name: "Cliente 6" }).boundingBox(),
          await page.getByRole("link", { name: "Bandeja" }).boundingBox(),
        ];
        const before = await places();
        proxy.cut();
        const said = page.getByText("Sin conexión. Reconectando");
        await said.waitFor();
        expect(await places()).to.deep.equal(before);
        const box = await said.boundingBox();
        expect(box && box.width > 0 && box.height > 0).to.equal(true);
      } finally {
        await proxy.close();
      }
    }
  });

  it("shows the screen's name in the browser's tab, and numbers with a plus", async () => {
    const page = await stage.seat(admin, "inbox/107");
    await page
      .getByText(/\+59170000107/)
      .first()
      .waitFor();
    await eventually(async () => /^(\(\d+\) )?Bandeja · Recado$/.test(await page.title()));
    await page.getByRole("link", { name: "Pedidos" }).click();
    await eventually(async () => /^(\(\d+\) )?Pedidos · Recado$/.test(await page.title()));
  });

  it("shows bold and italic text as the customer sees it, and gives each message an accessible name", async () => {
    await says(108, "Es *muy* _urgente_, 2*3*4 <b>no</b>", "Cliente 8");
    const page = await stage.seat(admin, "inbox/108");
    const said = thread(page)
      .getByRole("article", { name: /^Cliente 8, \d/ })
      .last();
    await said.getByText("muy", { exact: true }).waitFor();
    expect(await said.locator("strong").textContent()).to.equal("muy");
    expect(await said.locator("em").textContent()).to.equal("urgente");
    expect(await said.locator("p[dir]").textContent()).to.equal("Es muy urgente, 2*3*4 <b>no</b>");
  });
});
