import { Alert, Button, Group, Loader, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { shownPhone } from "../shared/phone.ts";
import type { Audience } from "./audience.ts";
import styles from "./campaigns.module.css";
import { type NewCampaign, type Preview, preview } from "./campaigns.ts";
import { type Check, Verdict } from "./verdict.tsx";

const shownAtOnce = 20;

interface PreviewStepProps {
  readonly audience: Audience;
  readonly bodyFor: (recipients: Audience["recipients"]) => NewCampaign;
  readonly check: Check;
}

/** Keeps requests small by previewing a few recipients at a time. A request contains each recipient to preview. */
export function PreviewStep({ audience: { recipients }, bodyFor, check }: PreviewStepProps) {
  const { t } = useTranslation("campaigns");
  const [page, setPage] = useState(0);
  const slice = recipients.slice(page * shownAtOnce, (page + 1) * shownAtOnce);
  const body = bodyFor(slice);
  const { data, error, isFetching } = useQuery({
    queryKey: ["campaign preview", body],
    queryFn: () => preview(body),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
  const problems = check.found?.data ?? [];
  const pages = Math.ceil(recipients.length / shownAtOnce);
  return (
    <>
      <Text fw={600}>
        {t("messages", { count: recipients.length })} {isFetching && <Loader size={14} aria-hidden="true" />}
      </Text>
      <Verdict check={check} />
      {error && (
        <Alert color="red" variant="outline" role="alert">
          {error instanceof Refused ? error.message : t("unreachable")}
        </Alert>
      )}
      {data && <Rows rows={data.data} label={t("previewTable")} />}
      {problems.length > 0 && (
        <section aria-labelledby="problems">
          <Text fw={600} id="problems">
            {t("problemTable")}
          </Text>
          <Rows rows={problems} label={t("problemTable")} />
        </section>
      )}
      {pages > 1 && (
        <Group gap="xs">
          <Button variant="default" size="xs" disabled={page === 0} onClick={() => setPage(page - 1)}>
            {t("before")}
          </Button>
          <Text size="sm">{t("page", { page: page + 1, pages })}</Text>
          <Button variant="default" size="xs" disabled={page + 1 >= pages} onClick={() => setPage(page + 1)}>
            {t("next")}
          </Button>
        </Group>
      )}
    </>
  );
}

function Rows({ rows, label }: { readonly rows: Preview["data"]; readonly label: string }) {
  const { t } = useTranslation("campaigns");
  return (
    <Table.ScrollContainer minWidth={460} scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": label } }}>
      <Table>
        <Table.Tbody>
          {rows.map(({ contacto_id, numero, texto, problemas }) => (
            <Table.Tr key={contacto_id}>
              <Table.Td>{shownPhone(numero)}</Table.Td>
              <Table.Td>
                {texto}
                {problemas.map((problem) => (
                  <Text key={problem} size="sm" className={styles.problem}>
                    {t(`problem.${problem}`)}
                  </Text>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
