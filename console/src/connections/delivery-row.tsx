import { Badge, Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure, useChange } from "../settings/page.tsx";
import styles from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { useClock } from "../shared/use-clock.ts";
import own from "./connections.module.css";
import { errorWords } from "./delivery-words.ts";
import { useEventNames } from "./webhooks-screen.tsx";

const key = "webhooks";
const colors = { waiting: "yellow", delivered: "brand", failed: "red" } as const;

interface Delivery {
  readonly id: number;
  readonly type: string;
  readonly timestamp: string;
  readonly state: keyof typeof colors;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly status: number | null;
  readonly answer: string | null;
  readonly error: string | null;
}

interface DeliveryProps {
  readonly webhookId: number;
  readonly disabled: boolean;
  readonly delivery: Delivery;
}

export function DeliveryRow({ webhookId, disabled, delivery }: DeliveryProps) {
  const { t } = useTranslation("connections");
  const clock = useClock();
  const namesOf = useEventNames();
  const [isOpen, setOpen] = useState(false);
  const { id, type, timestamp, state, attempts, next_attempt_at, status, answer, error } = delivery;
  const params = { path: { id: webhookId, deliveryId: id } };
  const redeliver = useChange(key, () =>
    answered(api.POST("/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver", { params })),
  );
  const outcome = status === null ? attempts > 0 && t("hooks.noAnswer") : t("hooks.status", { status });
  const parts = [clock.moment(timestamp), t("hooks.attempts", { count: attempts }), outcome];
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <p className={styles.name}>{namesOf([type])}</p>
        <p className={styles.detail}>{parts.filter(Boolean).join(" · ")}</p>
        {next_attempt_at && attempts > 0 && (
          <p className={styles.detail}>{t("hooks.next", { at: clock.moment(next_attempt_at) })}</p>
        )}
      </div>
      <Badge variant="outline" color={colors[state]} tt="none">
        {t(`hooks.state.${state}`)}
      </Badge>
      <div className={styles.actions}>
        <Button variant="default" size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t("hooks.show")}
        </Button>
        {state !== "waiting" && (state === "failed" || isOpen) && (
          <Button
            variant="default"
            size="sm"
            disabled={disabled}
            loading={redeliver.isPending}
            onClick={() => redeliver.mutate(undefined)}
          >
            {t("hooks.redeliver")}
          </Button>
        )}
      </div>
      <Failure error={redeliver.error} />
      {isOpen && <Content webhookId={webhookId} id={id} answer={error === null ? answer : errorWords(error, t)} />}
    </li>
  );
}

interface ContentProps {
  readonly webhookId: number;
  readonly id: number;
  /** The receiver's answer, or why there was none. */
  readonly answer: string | null;
}

/** The payload, and the receiver's answer. */
function Content({ webhookId, id, answer }: ContentProps) {
  const { t } = useTranslation("connections");
  const { data, error, refetch } = useQuery({
    queryKey: ["admin", key, webhookId, "delivery", id],
    queryFn: ({ signal }) => {
      const params = { path: { id: webhookId, deliveryId: id } };
      return answered(api.GET("/admin/webhooks/{id}/deliveries/{deliveryId}", { params, signal }));
    },
  });
  const parts = [
    { title: t("hooks.sent"), text: data && JSON.stringify(data.payload, null, 2) },
    { title: t("hooks.answer"), text: answer || t("hooks.noText") },
  ];
  return (
    <div className={own.content}>
      <Failure error={error} again={() => void refetch()} />
      {parts.map(({ title, text }) => (
        <section key={title} aria-label={title}>
          <p className={styles.detail}>{title}</p>
          {text === undefined ? !error && <Skeleton height={120} radius="md" /> : <Text text={text} />}
        </section>
      ))}
    </div>
  );
}

/** A long text can be scrolled, also by keyboard. */
const Text = ({ text }: { readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by the keyboard.
  <pre className={own.answer} tabIndex={0}>
    {text}
  </pre>
);
