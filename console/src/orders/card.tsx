import { useDraggable } from "@dnd-kit/core";
import { ActionIcon, Menu } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { nameOf } from "../shared/customer.ts";
import { Icon } from "../shared/icons.tsx";
import { useMoney } from "../shared/money.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./board.module.css";
import { newsOf } from "./board.ts";
import { type Card, nextStates, type State } from "./orders.ts";

interface BoardCardProps {
  readonly card: Card;
  readonly onMove: (card: Card, to: State) => void;
}

export const BoardCard = memo(function BoardCard({ card, onMove }: BoardCardProps) {
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: card.id, data: card });
  return (
    <div
      ref={setNodeRef}
      {...listeners}
      className={styles.hold}
      data-card={card.id}
      data-dragging={isDragging}
      data-news={newsOf(card.id)}
    >
      <CardFace card={card} />
      <MoveMenu card={card} onMove={onMove} />
    </div>
  );
});

export function CardFace({ card }: { readonly card: Card }) {
  const { t } = useTranslation("orders");
  const clock = useClock();
  const money = useMoney();
  const name = useCustomerName(card);
  return (
    <article className={styles.card}>
      <p className={styles.who}>
        <Link
          to="/orders/$order"
          params={{ order: String(card.id) }}
          search={true}
          draggable={false}
          className={styles.open}
          aria-label={t("open", { id: card.id, name })}
        >
          {name}
        </Link>
      </p>
      <p className={styles.what}>{summaryOf(card) || t("noLines")}</p>
      <p className={styles.facts}>
        {[`#${card.id}`, card.shipment_method && t(`method.${card.shipment_method}`), card.sucursal?.nombre]
          .filter(Boolean)
          .join(" · ")}
      </p>
      <p className={styles.foot}>
        <span className={styles.total}>{money(card.total)}</span>
        <span className={styles.when}>{clock.brief(card.createdAt)}</span>
      </p>
    </article>
  );
}

export function useCustomerName({ chat }: Card): string {
  const { t } = useTranslation();
  const { t: tOrders } = useTranslation("orders");
  return chat ? nameOf(chat.contacto, t) : tOrders("noCustomer");
}

/** For example `2 × Salteña, Helado`. CSS cuts off what does not fit. */
const summaryOf = ({ details }: Card): string =>
  details.map(({ quantity, articulo }) => (quantity > 1 ? `${quantity} × ${articulo.name}` : articulo.name)).join(", ");

function MoveMenu({ card, onMove }: BoardCardProps) {
  const { t } = useTranslation("orders");
  const { administrador } = useMe();
  const targets = nextStates(card, administrador);
  if (targets.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal shadow="md">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          className={styles.move}
          data-move
          aria-label={t("move", { id: card.id })}
          title={t("moveTitle")}
          onMouseDown={(event) => event.stopPropagation()}
          onTouchStart={(event) => event.stopPropagation()}
        >
          <Icon name="move" size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("moveTitle")}</Menu.Label>
        {targets.map((to) => (
          <Menu.Item key={to} {...(to === "cancelled" && { c: "var(--danger)" })} onClick={() => onMove(card, to)}>
            {t(`states.${to}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
