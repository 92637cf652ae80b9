import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";

/** Formats amounts in major units. The service gives sums as numbers and prices as texts. */
export function useMoney(): (amount: number | string) => string {
  const { i18n } = useTranslation();
  const { moneda } = useMe();
  return useMemo(() => {
    const format = new Intl.NumberFormat(i18n.language, { style: "currency", currency: moneda });
    return (amount) => format.format(Number(amount));
  }, [i18n.language, moneda]);
}
