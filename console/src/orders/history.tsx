import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answered, api } from "../shared/api.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./drawer.module.css";
import { useDetailsOf } from "./history-details.ts";
import { type Order, orderKey, stateOf } from "./orders.ts";

const limit = 20;

interface HistoryProps {
  readonly order: Order;
  /** The shown version of the order. A new version means that there is more history. */
  readonly version: string;
}

const actions = [
  "created",
  "updated",
  "line_added",
  "line_removed",
  "driver_changed",
  "status_changed",
  "cancelled",
  "payment_link_renewed",
  "contact_erased",
] as const;

export function History({ order, version }: HistoryProps) {
  const orderId = order.id;
  const { t } = useTranslation("orders");
  const clock = useClock();
  const detailsOf = useDetailsOf(order);
  const { data, isPending, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [...orderKey(orderId), "history", version],
    queryFn: ({ pageParam: page }) =>
      answered(api.GET("/catalogs/order/{orderId}/history", { params: { path: { orderId }, query: { page, limit } } })),
    initialPageParam: 1,
    getNextPageParam: ({ hasNextPage: more, page }) => (more ? page + 1 : undefined),
    placeholderData: (before) => before,
  });
  const changes = data?.pages.flatMap((page) => page.data) ?? [];
  if (isPending) return <Skeleton height={60} />;
  if (isError && !data) {
    return (
      <Group gap="xs" role="alert">
        <Text size="sm">{t("loadFailed")}</Text>
        <Button size="xs" variant="default" onClick={() => void refetch()}>
          {t("again")}
        </Button>
      </Group>
    );
  }
  if (changes.length === 0) return <Text c="dimmed">{t("noHistory")}</Text>;
  return (
    <>
      <ol className={styles.history}>
        {changes.map(({ id, action, actor, at, changes: what }) => {
          const known = actions.find((one) => one === action);
          const status = (what.status as { readonly to?: number } | undefined)?.to;
          return (
            <li key={id}>
              <span>
                {known ? t(`actions.${known}`) : action}
                {action === "status_changed" && status !== undefined && `: ${t(`state.${stateOf({ status })}`)}`}
              </span>
              {detailsOf(what).map((detail) => (
                <span key={detail} className={styles.detail}>
                  {detail}
                </span>
              ))}
              <span className={styles.by}>
                {actor.type === "bot" ? t("bot") : (actor.name ?? t(`actor.${actor.type}`))} · {clock.brief(at)}{" "}
                {clock.time(at)}
              </span>
            </li>
          );
        })}
      </ol>
      {hasNextPage && (
        <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("more")}
        </Button>
      )}
    </>
  );
}
