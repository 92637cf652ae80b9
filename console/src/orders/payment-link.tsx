import { Alert, Button, Group, Select } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { isReady, useTemplates } from "../inbox/templates.ts";
import { Refused } from "../shared/api.ts";
import { onceFor, useOutcome } from "../shared/once.ts";
import { queryClient } from "../shared/query.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./drawer.module.css";
import { type LinkBy, type Order, orderKey, sendPaymentLink } from "./orders.ts";

interface Sending {
  readonly by: LinkBy;
  readonly key: string;
}

/**
 * Each click sends the link again. But if the outcome of a click is unknown, the next click uses the same
 * Idempotency-Key, so that the link is not sent twice.
 */
export function PaymentLink({ order }: { readonly order: Order }) {
  const { t } = useTranslation("orders");
  const { empresa } = useMe();
  const clock = useClock();
  const onceBy = (by: LinkBy) => onceFor(`link ${order.id} ${by}`);
  const outcomeOf = useOutcome();
  const [templateId, setTemplateId] = useState<number | null>(null);
  const [isByTemplate, setByTemplate] = useState(false);
  const send = useMutation({
    mutationFn: ({ by, key }: Sending) => sendPaymentLink(empresa.id, order.id, by, templateId ?? 0, key),
    onSuccess: (_, { by, key }) => onceBy(by).done(key),
    onError: (error, { by, key }) => onceBy(by).failed(key, error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: orderKey(order.id) }),
  });
  const sendBy = (by: LinkBy): void => send.mutate({ by, key: onceBy(by).begin() });
  return (
    <section aria-labelledby="payment-link">
      <h3 id="payment-link" className={styles.heading}>
        {t("link.title")}
      </h3>
      {order.paidExpire && <p className={styles.hint}>{t("link.expires", { at: clock.moment(order.paidExpire) })}</p>}
      <Group gap="xs">
        <Button size="sm" variant="light" loading={send.isPending} onClick={() => sendBy("text")}>
          {t("link.text")}
        </Button>
        <Button size="sm" variant="default" disabled={send.isPending} onClick={() => setByTemplate(!isByTemplate)}>
          {t("link.template")}
        </Button>
        <Button size="sm" variant="default" disabled={send.isPending} onClick={() => sendBy("sms")}>
          {t("link.sms")}
        </Button>
      </Group>
      {isByTemplate && (
        <Group gap="xs" align="flex-end" mt="xs" wrap="nowrap">
          <Templates value={templateId} onChange={setTemplateId} />
          <Button disabled={templateId === null || send.isPending} onClick={() => sendBy("template")}>
            {t("link.send")}
          </Button>
        </Group>
      )}
      <div role="status">
        {send.isSuccess && (
          <Alert color="brand" variant="outline" mt="xs">
            {t("link.sent")}
          </Alert>
        )}
      </div>
      {send.isError && (
        <Alert color="red" variant="outline" role="alert" mt="xs">
          {send.error instanceof Refused
            ? outcomeOf(send.error, t("link.refused", { reason: send.error.message }))
            : t("refused.unreachable")}
        </Alert>
      )}
    </section>
  );
}

interface TemplatesProps {
  readonly value: number | null;
  readonly onChange: (id: number | null) => void;
}

function Templates({ value, onChange }: TemplatesProps) {
  const { t } = useTranslation("orders");
  const { data = [] } = useTemplates();
  return (
    <Select
      label={t("link.which")}
      data={data.filter(isReady).map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      searchable
      flex={1}
    />
  );
}
