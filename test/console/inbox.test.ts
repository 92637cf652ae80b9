import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../support/wait.ts";
import { aBusiness, aThread } from "../support/world.ts";
import { cuttableProxy } from "./browser.ts";
import { setStage } from "./stage.ts";

const [admin, ana, beto, stranger] = [101, 102, 103, 202];

const users = [
  { id: admin, name: "Ada Admin", email: "admin@b1.test", roleId: 1, available: false },
  { id: ana, name: "Ana Agente", email: "agent@b1.test", roleId: 5, available: true },
  { id: beto, name: "Beto Bueno", email: "beto@b1.test", roleId: 5, available: true },
];

const threads = Array.from({ length: 8 }, (_, index) =>
  aThread(101 + index, { name: `Cliente ${index + 1}`, state: "pending" }),
);

/** A chat with more messages than the API returns at once. */
const long = aThread(109, {
  name: "Clienta de siempre",
  messages: Array.from({ length: 120 }, (_, index) => ({
    direction: "in",
    body: `Mensaje número ${index + 1}.`,
    author: "contact",
    authorName: "Clienta de siempre",
    state: "received",
    at: new Date(Date.UTC(2026, 0, 2, 3, index)),
  })),
});

const list = (page: Page) => page.getByRole("list", { name: "Chats" });
const thread = (page: Page) => page.getByRole("log", { name: "Mensajes" });
const composer = (page: Page) => page.getByRole("textbox", { name: "Mensaje" });
const sendButton = (page: Page) => page.getByRole("button", { name: "Enviar" });

describe("the console's inbox", () => {
  const stage = setStage({ businesses: [aBusiness(1, { users, threads: [...threads, long] }), aBusiness(2)] });
  const { seat } = stage;

  const phoneOf = (chat: number): string => `5917000${String(chat).padStart(4, "0")}`;
  const says = (chat: number, text: string) =>
    stage.world.control("POST", `/customers/${phoneOf(chat)}/say`, { to: "number-1", text });
  const reads = async (chat: number): Promise<string[]> => {
    const messages: { text?: string; body?: string }[] = await stage.world.control(
      "GET",
      `/messages?to=${phoneOf(chat)}`,
    );
    return messages.map((message) => JSON.stringify(message));
  };
  const times = async (chat: number, text: string): Promise<number> =>
    (await reads(chat)).filter((message) => message.includes(text)).length;

  it("shows a customer's new message in the list and in the open thread without a reload", async () => {
    const page = await seat(ana, "inbox/101");
    await thread(page).getByText("Hola", { exact: true }).waitFor();
    await says(101, "¿Tienen talla M?");
    await thread(page).getByText("¿Tienen talla M?").waitFor();
    const first = list(page).getByRole("listitem").first();
    await eventually(async () => ((await first.textContent()) ?? "").includes("Cliente 1"));
    expect(await first.textContent()).to.include("¿Tienen talla M?");
  });

  it("sends an answer to the customer, and shows its status", async () => {
    await says(102, "Buenas");
    const page = await seat(ana, "inbox/102");
    await composer(page).fill("Buenas tardes");
    await sendButton(page).click();
    await thread(page).getByText("Buenas tardes").waitFor();
    await eventually(async () => (await times(102, "Buenas tardes")) === 1);
    await thread(page)
      .getByRole("img", { name: /^(Enviado|Entregado|Leído)$/ })
      .waitFor();
    expect(await composer(page).inputValue()).to.equal("");
  });

  it("sends a message once after a double click, and after two presses of Enter", async () => {
    await says(103, "Buenas");
    const page = await seat(ana, "inbox/103");
    await composer(page).fill("Una sola vez");
    await sendButton(page).dblclick();
    await composer(page).fill("Otra sola vez");
    await composer(page).evaluate((field) => {
      const { KeyboardEvent: Key } = globalThis as unknown as {
        KeyboardEvent: new (type: string, how: object) => Event;
      };
      // Both events come before the page renders again.
      for (const key of ["Enter", "Enter"])
        field.dispatchEvent(new Key("keydown", { key, bubbles: true, cancelable: true }));
    });
    await eventually(async () => (await times(103, "Otra sola vez")) === 1);
    expect(await times(103, "Una sola vez")).to.equal(1);
    expect(await thread(page).getByText("Una sola vez").count()).to.equal(1);
  });

  it("opens a thread at its newest message, loads older ones during scrolling, and keeps the reading position", async () => {
    const page = await seat(ana, "inbox/109");
    const isInSight = (text: string) =>
      thread(page)
        .getByText(text, { exact: true })
        .evaluate((shown) => {
          const { top, bottom } = shown.getBoundingClientRect();
          const frame = shown.closest("[role=log]")?.getBoundingClientRect();
          return frame !== undefined && top >= frame.top && bottom <= frame.bottom;
        });
    await eventually(() => isInSight("Mensaje número 120."));
    expect(await thread(page).getByText("Mensaje número 1.", { exact: true }).count()).to.equal(0);
    await thread(page).hover();
    await eventually(async () => {
      await page.mouse.wheel(0, -20_000);
      return (await thread(page).getByText("Mensaje número 1.", { exact: true }).count()) === 1;
    });
    await eventually(async () => {
      await page.mouse.wheel(0, -20_000);
      return isInSight("Mensaje número 1.");
    });
    await says(109, "Uno más");
    const toNewest = page.getByRole("button", { name: "Ir a lo último, 1 mensaje nuevo" });
    await toNewest.waitFor();
    expect(await isInSight("Mensaje número 1.")).to.equal(true);
    await toNewest.click();
    await thread(page).getByText("Uno más").waitFor();
  });

  it("gives a chat to one of two agents who take it at the same time, and informs the other one", async () => {
    const pages = await Promise.all([seat(ana, "inbox/104"), seat(beto, "inbox/104")]);
    const takes = pages.map((page) => page.getByRole("button", { name: "Tomar" }));
    await Promise.all(takes.map((button) => button.waitFor()));
    // A button disappears when its page learns that the other agent took the chat, so a click may fail.
    await Promise.all(takes.map((button) => button.click({ noWaitAfter: true }).catch(() => {})));
    const [row] = await eventually(async () => {
      const rows = await stage.world.rows<{ support_user_id: number }>(
        "select support_user_id from chats where business_id = 1 and id = 104 and support_user_id is not null",
      );
      return rows.length === 1 && rows;
    });
    const winner = Number(row?.support_user_id);
    expect([ana, beto]).to.include(winner);
    const winning = pages[winner === ana ? 0 : 1];
    await winning?.getByRole("button", { name: "Cerrar" }).waitFor();
    for (const button of takes) await button.waitFor({ state: "detached" });
  });

  it("lets an agent take, answer, reassign and close a chat by keyboard", async () => {
    await says(108, "Buenas");
    const page = await seat(ana, "inbox/108");
    const press = async (name: string, ...keys: string[]): Promise<void> => {
      await page.getByRole("button", { name, exact: true }).focus();
      for (const key of ["Enter", ...keys]) await page.keyboard.press(key);
    };
    await press("Tomar");
    await page.getByRole("button", { name: "Cerrar" }).waitFor();
    await composer(page).focus();
    await page.keyboard.type("Con gusto");
    await page.keyboard.press("Enter");
    await eventually(async () => (await times(108, "Con gusto")) === 1);
    await press("Cerrar");
    await page.getByRole("menuitem", { name: "Cerrar el chat" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText(/· Cerrado ·/).waitFor();
    await press("Asignar");
    await page.getByRole("menuitem", { name: "Beto Bueno" }).focus();
    await page.keyboard.press("Enter");
    await eventually(async () => {
      const [row] = await stage.world.rows<{ support_user_id: number }>(
        "select support_user_id from chats where business_id = 1 and id = 108",
      );
      return Number(row?.support_user_id) === beto;
    });
  });

  it("does not send a note to the customer", async () => {
    await says(105, "Buenas");
    const page = await seat(ana, "inbox/105");
    await composer(page).fill("Quiere pagar con QR");
    await page.getByRole("button", { name: "Nota interna" }).click();
    await sendButton(page).click();
    await thread(page).getByText("Nota interna de Ana Agente").waitFor();
    expect(await times(105, "Quiere pagar con QR")).to.equal(0);
  });

  it("keeps a draft after a reload", async () => {
    const page = await seat(ana, "inbox/105");
    await composer(page).fill("A medio escribir");
    await page.reload();
    await composer(page).waitFor();
    expect(await composer(page).inputValue()).to.equal("A medio escribir");
  });

  it("neither loses nor repeats a message when the connection is cut for some seconds", async () => {
    const proxy = await cuttableProxy(stage.world.api);
    try {
      await says(106, "Antes");
      const page = await seat(ana, "inbox/106", proxy.url);
      await thread(page).getByText("Antes").waitFor();
      proxy.cut();
      await page.getByText("Sin conexión. Reconectando").waitFor();
      await says(106, "Durante uno");
      await composer(page).fill("Escrito sin conexión");
      await sendButton(page).click();
      await says(106, "Durante dos");
      await thread(page).getByText("Escrito sin conexión").waitFor();
      expect(await times(106, "Escrito sin conexión")).to.equal(0);
      proxy.restore();
      await eventually(async () => (await times(106, "Escrito sin conexión")) === 1, 20_000);
      await page.getByText("Sin conexión. Reconectando").waitFor({ state: "detached" });
      for (const text of ["Antes", "Durante uno", "Durante dos", "Escrito sin conexión"]) {
        await thread(page).getByText(text).waitFor();
        await eventually(async () => (await thread(page).getByText(text).count()) === 1);
      }
      await eventually(async () => (await thread(page).getByRole("img", { name: "Enviando" }).count()) === 0);
    } finally {
      await proxy.close();
    }
  });

  it("sends a message once if the connection is cut before its answer", async () => {
    const proxy = await cuttableProxy(stage.world.api);
    try {
      await says(107, "Antes");
      const page = await seat(ana, "inbox/107", proxy.url);
      await thread(page).getByText("Antes").waitFor();
      await composer(page).fill("La respuesta se perdió");
      // The request reaches the service, but its answer does not reach the page.
      let lost = 0;
      await page.route("**/chats/107/messages", async (route) => {
        if (route.request().method() !== "POST" || lost > 0) return route.continue();
        lost += 1;
        await route.fetch();
        await route.abort("connectionreset");
      });
      await sendButton(page).click();
      await page.reload();
      await thread(page).getByText("La respuesta se perdió").waitFor();
      await eventually(
        async () => (await page.evaluate<string>("Object.keys(localStorage).join()")).includes("outbox") === false,
      );
      expect(lost).to.equal(1);
      expect(await times(107, "La respuesta se perdió")).to.equal(1);
      // The thread may still be loading the message.
      await eventually(async () => (await thread(page).getByText("La respuesta se perdió").count()) === 1);
    } finally {
      await proxy.close();
    }
  });

  it("does not show another business's chats", async () => {
    const page = await seat(stranger, "inbox/101");
    await page.getByText("Este chat no existe o no lo puedes ver.").waitFor();
    await list(page).getByText("Carla Cliente").waitFor();
    expect(
      await list(page)
        .getByText(/^Cliente \d/)
        .count(),
    ).to.equal(0);
    await says(101, "Solo para el negocio 1");
    await stage.world.control("POST", `/customers/${phoneOf(201)}/say`, { to: "number-2", text: "Para el negocio 2" });
    await list(page).getByText("Para el negocio 2").waitFor();
    expect(await page.getByText("Solo para el negocio 1").count()).to.equal(0);
  });

  it("signs the user out when the session ends", async () => {
    const page = await seat(beto);
    await list(page).waitFor();
    await stage.world.rows("delete from sessions where user_id = $1", [beto]);
    await says(108, "Buenas");
    await page.reload();
    await page.getByRole("button", { name: "Entrar" }).waitFor();
    expect(await page.getByText("Cliente").count()).to.equal(0);
  });
});
