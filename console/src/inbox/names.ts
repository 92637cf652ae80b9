import type { Chat } from "../shared/api.ts";
import { shownPhone } from "../shared/phone.ts";

/** What a customer is called: some have no name but their number, some not even that. */
export const nameOf = ({ nombre, numero, platform_id }: Omit<Chat["contacto"], "id">): string =>
  nombre && nombre !== numero ? nombre : shownPhone(numero) || platform_id;
