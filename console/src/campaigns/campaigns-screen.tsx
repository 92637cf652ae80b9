import "./texts.ts";
import { Button, Skeleton, Text, Title } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { LinkButton } from "../shared/link-button.tsx";
import { useClock } from "../shared/use-clock.ts";
import { CampaignFilters } from "./campaign-filters.tsx";
import type { CampaignSearch } from "./campaign-search.ts";
import styles from "./campaigns.module.css";
import { type Campaign, doneOf, fetchCampaigns, listKey } from "./campaigns.ts";
import { Progress } from "./progress.tsx";

export function CampaignsScreen() {
  const { t } = useTranslation("campaigns");
  const navigate = useNavigate();
  const search: CampaignSearch = useSearch({ from: "/campaigns" });
  const isFiltered = Object.keys(search).length > 0;
  const { data, isPending, isError, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [...listKey, search],
    queryFn: ({ pageParam, signal }) => fetchCampaigns(search, pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: ({ hasNextPage: more, page }) => (more ? page + 1 : undefined),
    placeholderData: keepPreviousData,
  });
  const all = new Map(data?.pages.flatMap((page) => page.data).map((each) => [each.id, each]));
  return (
    <div className={styles.page}>
      <div className={styles.top}>
        <Title order={1} size="h2">
          {t("title")}
        </Title>
        <Button leftSection={<Icon name="plus" size={18} />} onClick={() => void navigate({ to: "/campaigns/new" })}>
          {t("new")}
        </Button>
      </div>
      {(isFiltered || all.size > 0) && <CampaignFilters search={search} />}
      {isPending && [1, 2, 3].map((place) => <Skeleton key={place} height={92} mb="sm" radius="md" />)}
      {isError && !data && (
        <div role="alert">
          <Text mb="xs">{t("loadFailed")}</Text>
          <Button variant="default" onClick={() => void refetch()}>
            {t("again")}
          </Button>
        </div>
      )}
      {data && all.size === 0 && isFiltered && (
        <div className={styles.empty} role="status">
          <Text>{t("filter.none")}</Text>
          <Button variant="default" onClick={() => void navigate({ to: "/campaigns", search: {}, replace: true })}>
            {t("filter.clear")}
          </Button>
        </div>
      )}
      {data && all.size === 0 && !isFiltered && (
        <div className={styles.empty}>
          <Icon name="campaigns" size={40} />
          <Text fw={600}>{t("empty.title")}</Text>
          <Text c="dimmed">{t("empty.lead")}</Text>
          <LinkButton to="/campaigns/new">{t("empty.first")}</LinkButton>
        </div>
      )}
      <ul className={styles.list} aria-label={t("title")}>
        {[...all.values()].map((campaign) => (
          <Row key={campaign.id} campaign={campaign} />
        ))}
      </ul>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("more")}
        </Button>
      )}
    </div>
  );
}

function Row({ campaign }: { readonly campaign: Campaign }) {
  const { t } = useTranslation("campaigns");
  const clock = useClock();
  const { id, nombre, total, state, created_at } = campaign;
  return (
    <li className={styles.row}>
      <div className={styles.rowTop}>
        <Link to="/campaigns/$campaign" params={{ campaign: String(id) }} className={styles.name}>
          {nombre}
        </Link>
        <span className={styles.state} data-state={state}>
          {t(`state.${state}`)}
        </span>
      </div>
      <Progress campaign={campaign} />
      <p className={styles.facts}>
        <span>{t("progress", { done: doneOf(campaign), total })}</span>
        <span>{clock.moment(created_at)}</span>
      </p>
    </li>
  );
}
