import { Alert, Button, Group, Loader, Table, Text } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import type { Audience } from "./audience.ts";
import styles from "./campaigns.module.css";
import { type NewCampaign, type Preview, preview } from "./campaigns.ts";

const shownAtOnce = 20;
const checkedAtOnce = 100;

interface PreviewStepProps {
  readonly audience: Audience;
  readonly bodyFor: (recipients: Audience["recipients"]) => NewCampaign;
}

/** The service is asked about a slice at a time: a preview takes the body of a whole campaign. */
export function PreviewStep({ audience: { recipients }, bodyFor }: PreviewStepProps) {
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
  const pages = Math.ceil(recipients.length / shownAtOnce);
  return (
    <>
      <Group justify="space-between">
        <Text fw={600}>
          {t("messages", { count: recipients.length })} {isFetching && <Loader size={14} aria-hidden="true" />}
        </Text>
        <CheckAll recipients={recipients} bodyFor={bodyFor} />
      </Group>
      {data && data.limite_restante !== null && (
        <Text c={data.limite_restante < recipients.length ? "var(--danger)" : "dimmed"}>
          {t("limit", { count: data.limite_restante })}
        </Text>
      )}
      {error && (
        <Alert color="red" variant="outline" role="alert">
          {error instanceof Refused ? error.message : t("unreachable")}
        </Alert>
      )}
      {data && <Rows rows={data.data} label={t("previewTable")} />}
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
              <Table.Td>{numero}</Table.Td>
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

/** Looks at every recipient, and shows those with problems. */
function CheckAll({ recipients, bodyFor }: Omit<PreviewStepProps, "audience"> & Pick<Audience, "recipients">) {
  const { t } = useTranslation("campaigns");
  const [done, setDone] = useState(0);
  const check = useMutation({
    mutationFn: async () => {
      const found: Preview["data"][number][] = [];
      for (let at = 0; at < recipients.length; at += checkedAtOnce) {
        setDone(at);
        const { data } = await preview(bodyFor(recipients.slice(at, at + checkedAtOnce)));
        found.push(...data.filter(({ problemas }) => problemas.length > 0));
      }
      return found;
    },
  });
  return (
    <>
      <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
        {t("checkAll")}
      </Button>
      <div role="status" style={{ flexBasis: "100%" }}>
        {check.isPending && t("taken", { done, total: recipients.length })}
        {check.data && <Text>{t("withProblems", { count: check.data.length })}</Text>}
        {check.data && check.data.length > 0 && <Rows rows={check.data.slice(0, 200)} label={t("problemTable")} />}
      </div>
    </>
  );
}
