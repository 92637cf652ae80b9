import { Button, Group, Loader, SegmentedControl, Select, Table, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { answered, api } from "../shared/api.ts";
import { useNewest } from "../shared/newest.ts";
import { type Audience, audienceOf } from "./audience.ts";
import { AudienceByFile, type AudiencePartProps } from "./audience-by-file.tsx";
import { AudienceTrouble } from "./audience-trouble.tsx";
import styles from "./campaigns.module.css";
import type { Draft } from "./draft.ts";

interface AudienceStepProps extends AudiencePartProps {
  readonly audience: Audience | null;
}

export function AudienceStep({ draft, audience, onChange, onAudience }: AudienceStepProps) {
  const { t } = useTranslation("campaigns");
  return (
    <>
      <SegmentedControl
        aria-label={t("step.audience")}
        data={[
          { value: "tag", label: t("byTag") },
          { value: "file", label: t("byFile") },
        ]}
        value={draft.audience}
        onChange={(kind) => {
          onAudience(null);
          onChange({ audience: kind as Draft["audience"], tag: null, sources: {} });
        }}
      />
      {draft.audience === "tag" ? (
        <ByTag draft={draft} onChange={onChange} onAudience={onAudience} />
      ) : (
        <AudienceByFile draft={draft} onChange={onChange} onAudience={onAudience} />
      )}
      {audience && <Taken audience={audience} />}
    </>
  );
}

function ByTag({ draft, onChange, onAudience }: AudiencePartProps) {
  const { t } = useTranslation("campaigns");
  const [search, setSearch] = useState("");
  const { data: tags = [] } = useQuery({
    queryKey: ["tags", search],
    queryFn: async () =>
      (
        await answered(
          api.GET("/tags", { params: { query: { limit: 100, ...(search.trim() && { q: search.trim() }) } } }),
        )
      ).data,
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
  const newest = useNewest();
  const read = useMutation({
    mutationFn: ({ tag, signal }: { readonly tag: number | null; readonly signal: AbortSignal }) =>
      audienceOf(tag, AbortSignal.any([signal, AbortSignal.timeout(120_000)])),
    onSuccess: (audience, { signal }) => {
      if (!signal.aborted) onAudience(audience);
    },
  });
  const choose = (tag: number | null): void => {
    onAudience(null);
    onChange({ tag });
    read.mutate({ tag, signal: newest() });
  };
  return (
    <>
      <Select
        label={t("tag")}
        description={t("tagHelp")}
        searchable
        onSearchChange={setSearch}
        data={tags.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
        value={draft.tag === null ? null : String(draft.tag)}
        onChange={(id) => id !== null && choose(Number(id))}
      />
      <Group>
        <Button variant="default" onClick={() => choose(null)}>
          {t("allContacts")}
        </Button>
        {draft.tag !== null && !read.isPending && (
          <Button variant="default" onClick={() => choose(draft.tag)}>
            {t("readAgain")}
          </Button>
        )}
        {read.isPending && <Loader size="sm" role="status" aria-label={t("reading")} />}
      </Group>
      <AudienceTrouble error={read.error} />
    </>
  );
}

const mostShown = 50;

function Taken({ audience: { recipients, refused } }: { readonly audience: Audience }) {
  const { t } = useTranslation("campaigns");
  return (
    <div role="status">
      <Text fw={600}>{t("recipients", { count: recipients.length })}</Text>
      {refused.length > 0 && (
        <>
          <Text mt="xs">{t("refusedRows", { count: refused.length })}</Text>
          <Table.ScrollContainer
            minWidth={420}
            maxHeight={240}
            scrollAreaProps={{ viewportProps: { tabIndex: 0, "aria-label": t("refusedLabel") } }}
          >
            <Table>
              <Table.Tbody>
                {refused.slice(0, mostShown).map(({ row, cells, reason }) => (
                  <Table.Tr key={row}>
                    <Table.Td>{t("row", { row })}</Table.Td>
                    <Table.Td>{cells}</Table.Td>
                    <Table.Td className={styles.problem}>{t(`rowReason.${reason}`)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </>
      )}
    </div>
  );
}
