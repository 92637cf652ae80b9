import { ActionIcon } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { useMoney } from "../shared/money.ts";
import { amountOf } from "./amounts.ts";
import styles from "./drawer.module.css";

interface LineRowProps {
  readonly quantity: number;
  readonly name: string;
  /** The price of one piece without extras. */
  readonly price: number;
  readonly extras: readonly { readonly name: string; readonly price: number }[];
  /** Null if the line may not be removed. */
  readonly onRemove: (() => void) | null;
  readonly isBusy?: boolean;
}

export function LineRow({ quantity, name, price, extras, onRemove, isBusy = false }: LineRowProps) {
  const { t } = useTranslation("orders");
  const money = useMoney();
  return (
    <li className={styles.orderLine}>
      <span className={styles.quantity}>{quantity} ×</span>
      <div className={styles.product}>
        <p>{name}</p>
        {(quantity > 1 || extras.length > 0) && <p className={styles.extra}>{t("each", { price: money(price) })}</p>}
        {extras.map((extra, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line may have the same extra twice, and its extras stay as they are.
          <p key={place} className={styles.extra}>
            + {extra.name} <span>{money(extra.price)}</span>
          </p>
        ))}
      </div>
      <span className={styles.price}>{money(amountOf(quantity, price, extras))}</span>
      {onRemove && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t("removeLine", { name })}
          title={t("removeLine", { name })}
          disabled={isBusy}
          onClick={onRemove}
        >
          <Icon name="trash" size={18} />
        </ActionIcon>
      )}
    </li>
  );
}
