import { Button, Group, Loader, Select, Table, Title } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { downloadCsv } from "../shared/download.ts";
import { shownPhone } from "../shared/phone.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./campaigns.module.css";
import { type Campaign, campaignKey, fetchRecipients, type RecipientState, recipientStates } from "./campaigns.ts";

/** The recipients, page by page or as a file. */
export function Recipients({ campaign: { id, counts, total } }: { readonly campaign: Campaign }) {
  const { t, i18n } = useTranslation("campaigns");
  const clock = useClock();
  const [state, setState] = useState<RecipientState | null>(null);
  const [page, setPage] = useState(1);
  const { data, isFetching } = useQuery({
    queryKey: [...campaignKey(id), "recipients", state, page],
    queryFn: () => fetchRecipients(id, state, page),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
  const download = useMutation({
    mutationFn: () => downloadCsv(`/campaigns/${id}/recipients${state ? `?state=${state}` : ""}`, `campaign-${id}.csv`),
  });
  return (
    <section aria-labelledby="recipients">
      <div className={styles.top}>
        <Title order={2} size="h4" id="recipients">
          {t("recipientsTitle")} {isFetching && <Loader size={14} aria-hidden="true" />}
        </Title>
        <Group gap="xs">
          <Select
            aria-label={t("filterState")}
            data={[
              { value: "", label: t("allStates", { count: total }) },
              ...recipientStates
                .filter((each) => counts[each] > 0 || each === state)
                .map((each) => ({
                  value: each,
                  label: `${t(`recipient.${each}`)} (${counts[each].toLocaleString(i18n.language)})`,
                })),
            ]}
            value={state ?? ""}
            onChange={(value) => {
              setState(value ? (value as RecipientState) : null);
              setPage(1);
            }}
            allowDeselect={false}
          />
          <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
            {t(download.isError ? "again" : "csv")}
          </Button>
        </Group>
      </div>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-labelledby": "recipients" } }}
      >
        <Table className={styles.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("column.number")}</Table.Th>
              <Table.Th>{t("column.state")}</Table.Th>
              <Table.Th>{t("column.at")}</Table.Th>
              <Table.Th>{t("column.reason")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data?.data.map((each) => (
              <Table.Tr key={each.contacto_id}>
                <Table.Td>{shownPhone(each.numero)}</Table.Td>
                <Table.Td>{t(`recipientOne.${each.state}`)}</Table.Td>
                <Table.Td>{each.fecha ? clock.moment(each.fecha) : ""}</Table.Td>
                <Table.Td>{each.error ?? ""}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Group gap="xs" mt="xs">
        <Button variant="default" size="xs" disabled={page === 1} onClick={() => setPage(page - 1)}>
          {t("before")}
        </Button>
        <Button variant="default" size="xs" disabled={!data?.hasNextPage} onClick={() => setPage(page + 1)}>
          {t("next")}
        </Button>
      </Group>
    </section>
  );
}
