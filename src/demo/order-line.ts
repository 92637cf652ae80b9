/** The fields of `order:changed` that `orderLine` prints. */
interface OrderCard {
  readonly seq: number;
  readonly id: number;
  readonly version: number;
  readonly status: number;
  readonly shipment_method: string | null;
  readonly payment_method: string | null;
  readonly paid: boolean | null;
  readonly cancel_reason: string | null;
  readonly total: number;
  readonly chat: { readonly contacto: { readonly nombre: string } } | null;
  readonly details: readonly {
    readonly quantity: number;
    readonly articulo: { readonly name: string };
    readonly extras: readonly { readonly extra: { readonly name: string } }[];
  }[];
}

const statuses: Readonly<Record<number, string>> = {
  8: "pending",
  1: "in progress",
  2: "on the way",
  3: "on the way",
  4: "completed",
  5: "cancelled",
};

export function orderLine(payload: unknown): string {
  const order = payload as OrderCard;
  const facts = [
    `order ${order.id} v${order.version}`,
    statuses[order.status] ?? `status ${order.status}`,
    ...[order.cancel_reason, order.shipment_method, order.payment_method].filter((fact) => fact !== null),
    order.paid === true ? "paid" : "not paid",
    `total ${order.total.toFixed(2)}`,
  ];
  const lines = order.details.map(({ quantity, articulo, extras }) => {
    const names = extras.map(({ extra }) => ` + ${extra.name}`);
    return `${quantity} x ${articulo.name}${names.join("")}`;
  });
  const customer = order.chat?.contacto.nombre ?? "no customer";
  return `${facts.join(", ")} | ${customer} | ${lines.join(", ") || "no products"} | event ${order.seq}`;
}
