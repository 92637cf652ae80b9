import type { RegistrationType } from "../../domain/report.ts";

export const typeOf = (wire: "venta" | "cotizacion"): RegistrationType => (wire === "venta" ? "sale" : "quotation");
export const typeOnWire = (type: RegistrationType): "venta" | "cotizacion" =>
  type === "sale" ? "venta" : "cotizacion";

/** Sources that the report tells apart have one spelling inside; any other word is kept in lower case. */
export function sourceOf(wire: string): string {
  const word = wire.trim().toLowerCase();
  return word === "mensaje" ? "message" : word;
}
export const sourceOnWire = (source: string): string => (source === "message" ? "mensaje" : source);
