interface Named {
  readonly nombre: string;
}

/** The fields of a chat's event that `chatLine` shows. */
interface ChatCard {
  readonly seq: number;
  readonly chat_id: number;
  readonly contacto: Named;
  readonly estado: string;
  readonly soporte_id: number | null;
  readonly no_leidos: number;
  readonly tags: readonly Named[];
  readonly version: number;
}

export function chatLine(payload: unknown): string {
  const chat = payload as ChatCard;
  const facts = [
    `chat ${chat.chat_id} v${chat.version}`,
    chat.estado,
    chat.soporte_id === null ? "unassigned" : `with user ${chat.soporte_id}`,
    `${chat.no_leidos} unread`,
    ...chat.tags.map(({ nombre }) => `#${nombre}`),
  ];
  return `${facts.join(", ")} | ${chat.contacto.nombre} | event ${chat.seq}`;
}

export function goneLine(payload: unknown): string {
  const { chat_id, seq } = payload as { chat_id: number; seq: number };
  return `chat ${chat_id} is no longer visible | event ${seq}`;
}

export function typingLine(payload: unknown): string {
  const { chat_id, usuario } = payload as { chat_id: number; usuario: Named };
  return `${usuario.nombre} writes in chat ${chat_id}`;
}

export function viewingLine(payload: unknown): string {
  const { chat_id, usuarios } = payload as { chat_id: number; usuarios: readonly Named[] };
  return `chat ${chat_id} is viewed by ${usuarios.map(({ nombre }) => nombre).join(", ") || "no user"}`;
}

export const endedLine = (payload: unknown): string => `access ended: ${(payload as { reason: string }).reason}`;
