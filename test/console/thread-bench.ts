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

interface DroppedFile {
  readonly name: string;
  readonly type: string;
  readonly content?: Buffer;
  /** If given, the file consists of this many zero bytes, and `content` is ignored. */
  readonly size?: number;
}
export const dropFiles = (page: Page, files: readonly DroppedFile[]) =>
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

/** Sets up a business with these threads, an administrator and an agent. A suite calls it once. */
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
