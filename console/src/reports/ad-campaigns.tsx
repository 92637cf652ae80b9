import { Anchor, Button, Select, Skeleton, Switch, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Refused } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { LinkButton } from "../shared/link-button.tsx";
import {
  adsOf,
  type CampaignsAsked,
  fetchAccounts,
  fetchAdSets,
  fetchCampaigns,
  ofAdSet,
  ofCampaign,
} from "./ad-campaigns.ts";
import styles from "./reports.module.css";
import { Spenders } from "./spenders.tsx";
import { useDays, useReportSearch } from "./use-search.ts";

const freshMs = 60_000;

/** Shows the user's own business only, since each business of a group has its own ad account. */
export function AdCampaigns({ isGroup }: { readonly isGroup: boolean }) {
  const { t } = useTranslation("reports");
  const me = useMe();
  const { search, set } = useReportSearch();
  const days = useDays();
  const accounts = useQuery({
    queryKey: ["ad-accounts", me.empresa.id],
    queryFn: () => fetchAccounts(me.empresa.id),
    staleTime: freshMs,
  });
  if (accounts.isPending) return <Skeleton height={300} radius="md" />;
  if (accounts.isError) return <NoPlatform error={accounts.error} onAgain={() => void accounts.refetch()} />;
  const own = String(me.flags.ad_account_for_report ?? "").replace(/^(?=\d)/, "act_");
  const find = (wanted: string | undefined) => accounts.data.find(({ id }) => id === wanted);
  const account = find(search.account) ?? find(own) ?? accounts.data[0];
  if (!account) return <p className={styles.empty}>{t("empty.accounts")}</p>;
  const asked: CampaignsAsked = { ...days, accountId: account.id, isActive: search.active === true };
  return (
    <>
      <div className={`${styles.filters} ${styles.within}`}>
        {accounts.data.length > 1 && (
          <Select
            aria-label={t("campaigns.account")}
            data={accounts.data.map(({ id, name }) => ({ value: id, label: name }))}
            value={account.id}
            onChange={(value) => set({ account: value ?? undefined, campaign: undefined })}
            allowDeselect={false}
            searchable
            className={styles.filter}
          />
        )}
        {search.campaign === undefined && (
          <Switch
            label={t("campaigns.onlyActive")}
            checked={asked.isActive}
            onChange={({ currentTarget }) => set({ active: currentTarget.checked ? true : undefined })}
          />
        )}
      </div>
      {isGroup && <p className={styles.caption}>{t("campaigns.own", { name: me.empresa.nombre })}</p>}
      {search.campaign === undefined ? (
        <Campaigns businessId={me.empresa.id} asked={asked} />
      ) : (
        <AdSets businessId={me.empresa.id} campaignId={search.campaign} asked={asked} />
      )}
    </>
  );
}

/** Explains a failure. A retry is offered only if the business is connected to the ad platform. */
function NoPlatform({ error, onAgain }: { readonly error: Error; readonly onAgain: () => void }) {
  const { t } = useTranslation("reports");
  const { administrador } = useMe();
  const isMissing = error instanceof Refused && error.status === 400;
  return (
    <div className={styles.empty} role={isMissing ? undefined : "alert"}>
      <Text fw={600}>{t(isMissing ? "empty.platform" : "campaigns.failed")}</Text>
      {isMissing && <Text c="dimmed">{t(administrador ? "empty.platformAdmin" : "empty.platformOther")}</Text>}
      {isMissing && administrador && <LinkButton to="/settings">{t("empty.settings")}</LinkButton>}
      {!isMissing && (
        <Button variant="default" onClick={onAgain}>
          {t("again")}
        </Button>
      )}
    </div>
  );
}

function Campaigns({ businessId, asked }: { readonly businessId: number; readonly asked: CampaignsAsked }) {
  const { t } = useTranslation("reports");
  const { set } = useReportSearch();
  const list = useInfiniteQuery({
    queryKey: ["ad-campaigns", businessId, asked],
    queryFn: ({ pageParam }) => fetchCampaigns(businessId, asked, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    staleTime: freshMs,
  });
  if (list.isPending) return <Skeleton height={300} radius="md" />;
  if (list.isError && !list.data) return <NoPlatform error={list.error} onAgain={() => void list.refetch()} />;
  const campaigns = [
    ...new Map(list.data.pages.flatMap(({ data }) => data).map((each) => [each.id, each])).values(),
  ].map(ofCampaign);
  return (
    <>
      <Spenders
        id="campaigns"
        rows={campaigns}
        empty={t("empty.campaigns")}
        onOpen={(campaign) => set({ campaign, sort: undefined })}
      />
      {list.isFetchNextPageError && <Text role="alert">{t("campaigns.failed")}</Text>}
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("campaigns.more")}
        </Button>
      )}
    </>
  );
}

interface AdSetsProps {
  readonly businessId: number;
  readonly campaignId: string;
  readonly asked: CampaignsAsked;
}

function AdSets({ businessId, campaignId, asked: { isActive: _, ...asked } }: AdSetsProps) {
  const { t } = useTranslation("reports");
  const { set } = useReportSearch();
  const list = useQuery({
    queryKey: ["ad-sets", businessId, campaignId, asked],
    queryFn: () => fetchAdSets(businessId, campaignId, asked),
    staleTime: freshMs,
  });
  return (
    <>
      <Anchor component="button" type="button" className={styles.back} onClick={() => set({ campaign: undefined })}>
        <Icon name="back" size={16} /> {t("campaigns.all")}
      </Anchor>
      {list.isPending && <Skeleton height={300} radius="md" />}
      {list.isError && <NoPlatform error={list.error} onAgain={() => void list.refetch()} />}
      {list.data && (
        <>
          {list.data[0] && (
            <Text size="lg" fw={650} className={styles.campaign}>
              {list.data[0].campaign.name}
            </Text>
          )}
          <Spenders id="adSets" rows={list.data.map(ofAdSet)} empty={t("empty.adSets")} />
          {list.data.length > 0 && <Spenders id="ads" rows={adsOf(list.data)} empty={t("empty.ads")} />}
        </>
      )}
    </>
  );
}
