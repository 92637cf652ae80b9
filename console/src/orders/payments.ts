import { useTranslation } from "react-i18next";

/** Common payment methods with translations. Others are shown unchanged. */
export const payments = ["cash", "card", "qr", "transfer"] as const;

export function usePaymentName(): (payment: string) => string {
  const { t } = useTranslation("orders");
  return (payment) => {
    const known = payments.find((each) => each === payment);
    return known ? t(`payments.${known}`) : payment;
  };
}
