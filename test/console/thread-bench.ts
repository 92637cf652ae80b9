import type { Page } from "playwright-core";
import type { ThreadFixture } from "../../src/fixtures/businesses/business.ts";
import { aBusiness, aTemplate } from "../support/world.ts";
import { setStage } from "./stage.ts";

export const [admin, ana] = [101, 102];

const users = [
  { id: admin, name: "Ada Admin", email: "admin@b1.test", roleId: 1, available: false },
  { id: ana, name: "Ana Agente", email: "agent@b1.test", roleId: 5, available: true },
];

/** A picture of 9 by 6 pixels. */
export const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAkAAAAGCAIAAACepSOSAAAAFUlEQVR4nGP4z8BAEKI8JIEGEoAKACT2DPQVcQLXAAAAAElFTkSuQmCC",
  "base64",
);

export const thread = (page: Page) => page.getByRole("log", { name: "Mensajes" });
export const composer = (page: Page) => page.getByRole("textbox", { name: "Mensaje" });
export const sendButton = (page: Page) => page.getByRole("button", { name: "Enviar", exact: true });

/** A suite calls it once. It sets up agents and customers of one business with these threads. */
export function setThreadStage(threads: readonly ThreadFixture[]) {
  const templates = [
    aTemplate(101, { name: "Pedido listo" }),
    aTemplate(102, { name: "Sin aprobar", status: "PENDING" }),
  ];
  const stage = setStage({ businesses: [aBusiness(1, { users, threads, templates })], keepsMedia: true });
  const does = (what: "say" | "react", chat: number, body: object): Promise<{ id: string }> =>
    stage.world.control("POST", `/customers/${phoneOf(chat)}/${what}`, { to: "number-1", ...body });
  const says = (chat: number, text: string) => does("say", chat, { text });
  /** The number of messages with this text that the customer of the chat has received. */
  const received = async (chat: number, text: string): Promise<number> => {
    const messages: object[] = await stage.world.control("GET", `/messages?to=${phoneOf(chat)}`);
    return messages.filter((message) => JSON.stringify(message).includes(text)).length;
  };
  return { stage, seat: stage.seat, does, says, received };
}

const phoneOf = (chat: number): string => `5917000${String(chat).padStart(4, "0")}`;
