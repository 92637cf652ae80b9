import "./texts.ts";
import { Alert, Button, Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Icon } from "../shared/icons.tsx";
import { LinkButton } from "../shared/link-button.tsx";
import { Panel } from "../shared/panel.tsx";
import { CancelDialog } from "./cancel-dialog.tsx";
import { useCustomerName } from "./card.tsx";
import { DeliveryForm } from "./delivery-form.tsx";
import styles from "./drawer.module.css";
import { History } from "./history.tsx";
import { Lines } from "./lines.tsx";
import { fetchOrder, isOpen, nextStates, type OpenOrder, orderKey, type State, stateOf } from "./orders.ts";
import { PaymentLink } from "./payment-link.tsx";
import { Ticket } from "./ticket.tsx";
import { Totals } from "./totals.tsx";
import { useMove } from "./use-move.ts";

export function OrderDrawer() {
  const { t } = useTranslation("orders");
  const { order: given } = useParams({ from: "/orders/$order" });
  const { empresa } = useMe();
  const id = Number(given);
  const navigate = useNavigate();
  const { data, isPending, isError, refetch } = useQuery({
    queryKey: orderKey(id),
    queryFn: () => fetchOrder(empresa.id, id),
  });
  const close = (): void => void navigate({ to: "/orders", search: (search: object) => search });

  return (
    <Panel onClose={close} title={t("order", { id })}>
      {isPending && [90, 160, 240].map((height) => <Skeleton key={height} height={height} mb="md" radius="md" />)}
      {isError && !data && (
        <Alert color="red" variant="outline" role="alert">
          <p>{t("loadFailed")}</p>
          <Button size="xs" mt="xs" variant="default" onClick={() => void refetch()}>
            {t("again")}
          </Button>
        </Alert>
      )}
      {data === null && <Text role="alert">{t("notFound")}</Text>}
      {data && <OrderDetails key={id} opened={data} />}
    </Panel>
  );
}

function OrderDetails({ opened }: { readonly opened: OpenOrder }) {
  const { order } = opened;
  const { t } = useTranslation("orders");
  return (
    <div className={styles.details}>
      <Head opened={opened} />
      <Lines opened={opened} />
      <Totals order={order} />
      <DeliveryForm opened={opened} />
      {isOpen(order) && order.chat && <PaymentLink order={order} />}
      <section aria-labelledby="history">
        <h3 id="history" className={styles.heading}>
          {t("history")}
        </h3>
        <History order={order} version={opened.version} />
      </section>
      <Ticket order={order} />
    </div>
  );
}

function Head({ opened: { order } }: { readonly opened: OpenOrder }) {
  const { t } = useTranslation("orders");
  const { administrador } = useMe();
  const { move, cancelling, endCancelling } = useMove();
  const customer = useCustomerName(order);
  const [forward, ...others] = nextStates(order, administrador);
  const state = stateOf(order);
  /** After a move, the next move's button is in the same place. A double click must not press that button, too. */
  const moveTo =
    (to: State) =>
    ({ detail }: MouseEvent): void => {
      if (detail < 2) move(order, to);
    };
  return (
    <section className={styles.head} data-state={state}>
      <div className={styles.line}>
        <p className={styles.state}>{t(`state.${state}`)}</p>
        <span className={styles.customer}>{customer}</span>
      </div>
      {order.cancel_reason && <p className={styles.reason}>{order.cancel_reason}</p>}
      <Group gap="xs">
        {forward && (
          <Button size="sm" onClick={moveTo(forward)}>
            {t(`moveTo.${forward}`)}
          </Button>
        )}
        {others.map((to) => (
          <Button
            key={to}
            size="sm"
            variant="default"
            {...(to === "cancelled" && { c: "var(--danger)" })}
            onClick={moveTo(to)}
          >
            {t(`moveTo.${to}`)}
          </Button>
        ))}
        <Button
          size="sm"
          variant="default"
          leftSection={<Icon name="print" size={16} />}
          onClick={() => window.print()}
        >
          {t("print")}
        </Button>
        {order.chat_id !== null && (
          <LinkButton
            size="sm"
            variant="subtle"
            to="/inbox/$chat"
            params={{ chat: String(order.chat_id) }}
            leftSection={<Icon name="chat" size={16} />}
          >
            {t("chat")}
          </LinkButton>
        )}
      </Group>
      <CancelDialog order={cancelling} onEnd={endCancelling} />
    </section>
  );
}
