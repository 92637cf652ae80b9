import { useTranslation } from "react-i18next";

/** The ways to pay that shops name alike; any other is shown as it is written. */
export const payments = ["cash", "card", "qr", "transfer"] as const;

export function usePaymentName(): (payment: string) => string {
  const { t } = useTranslation("orders");
  return (payment) => {
    const known = payments.find((each) => each === payment);
    return known ? t(`payments.${known}`) : payment;
  };
}
