import type { Chat } from "../shared/api.ts";
import { shownPhone } from "../shared/phone.ts";

/** The name of a customer, or else the number, or else the platform's id. */
export const nameOf = ({ nombre, numero, platform_id }: Omit<Chat["contacto"], "id">): string =>
  nombre && nombre !== numero ? nombre : shownPhone(numero) || platform_id;
