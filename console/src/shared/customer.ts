import type { TFunction } from "i18next";
import type { Chat } from "./api.ts";
import { shownPhone } from "./phone.ts";

type Customer = Omit<Chat["contacto"], "id">;

/** A contact that is not erased has at least a number or an id on its platform. */
export const isErased = ({ nombre, numero, platform_id }: Customer): boolean => !nombre && !numero && !platform_id;

/** The name of a customer, or else the number, or else the platform's id. */
export function nameOf(customer: Customer, t: TFunction): string {
  if (isErased(customer)) return t("erased.contact");
  const { nombre, numero, platform_id } = customer;
  return nombre && nombre !== numero ? nombre : shownPhone(numero) || platform_id;
}

export const nameAndPhone = (customer: Customer, t: TFunction): string =>
  [...new Set([nameOf(customer, t), shownPhone(customer.numero)])].filter(Boolean).join(" · ");
