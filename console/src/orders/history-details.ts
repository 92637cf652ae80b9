import { useTranslation } from "react-i18next";
import { useClock } from "../shared/use-clock.ts";
import { useBranches, useDrivers, useZones } from "./choices.ts";
import type { Order } from "./orders.ts";
import { usePaymentName } from "./payments.ts";

type Changes = Readonly<Record<string, unknown>>;

interface Step {
  readonly from?: unknown;
  readonly to?: unknown;
}

/** Labels of fields, by their names in the API. */
const labels = {
  shipment_method: "shipment",
  payment_method: "payment",
  sucursal_id: "branch",
  zone_id: "zone",
  location_picked: "place",
  raw_adress: "address",
  schedule_at: "schedule",
  paid: "paid",
  driver_id: "driver",
} as const;

type Field = keyof typeof labels;

interface Named {
  readonly id: number;
  readonly nombre: string;
}

/** Describes a change as lines of text: a product, the reason of a cancellation, and each changed field. */
export function useDetailsOf(order: Order): (changes: Changes) => string[] {
  const { t } = useTranslation("orders");
  const wordsOf = useWords();
  const articles = new Map(order.details.map(({ articulo }) => [articulo.id, articulo.name]));
  const product = ({ from, to }: Step): string[] => {
    const line = (to ?? from) as { readonly quantity?: number; readonly articulo_id?: number } | null;
    const name = articles.get(line?.articulo_id ?? 0);
    // The history has only the ids of products. The names come from the order, so a removed product is not shown.
    return line && name !== undefined ? [`${line.quantity} × ${name}`] : [];
  };
  return (changes) => {
    const { detail, cancel_reason } = changes as Record<string, Step | undefined>;
    // A change with `details` created the order. The panel shows the order's products anyway.
    if (changes.details !== undefined) return [];
    return [
      ...(detail ? product(detail) : []),
      ...(typeof cancel_reason?.to === "string" ? [cancel_reason.to] : []),
      ...(Object.keys(labels) as Field[])
        .filter((field) => changes[field] !== undefined)
        .map((field) => {
          const { from, to } = changes[field] as Step;
          return t("change", { field: t(labels[field]), from: wordsOf(field, from), to: wordsOf(field, to) });
        }),
    ];
  };
}

function useWords(): (field: Field, value: unknown) => string {
  const { t } = useTranslation("orders");
  const clock = useClock();
  const paymentName = usePaymentName();
  const { data: branches = [] } = useBranches();
  const { data: zones = [] } = useZones();
  const { data: drivers = [] } = useDrivers();
  const named = (list: readonly Named[], id: unknown): string =>
    list.find((each) => each.id === id)?.nombre ?? `#${String(id)}`;
  return (field, value) => {
    if (value === null || value === undefined || value === "") return "—";
    switch (field) {
      case "sucursal_id":
        return named(branches, value);
      case "zone_id":
        return named(zones, value);
      case "driver_id":
        return named(drivers, value);
      case "paid":
        return t(value === true ? "yes" : "no");
      case "shipment_method":
        return value === "pickup" || value === "delivery" ? t(`method.${value}`) : String(value);
      case "payment_method":
        return paymentName(String(value));
      case "schedule_at":
        return clock.moment(String(value));
      default:
        return String(value);
    }
  };
}
