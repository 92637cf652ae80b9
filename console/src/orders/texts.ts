import { addTexts } from "../app/i18n.ts";

const es = {
  title: "Pedidos",
};

export type OrdersTexts = typeof es;

const en: OrdersTexts = {
  title: "Orders",
};

const pt: OrdersTexts = {
  title: "Pedidos",
};

addTexts("orders", { es, en, pt });
