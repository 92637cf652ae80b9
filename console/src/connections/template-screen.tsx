import "./texts.ts";
import { Alert } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Failure, Loading, Page, usePlaceTitle } from "../settings/page.tsx";
import { TemplateEditor } from "./template-editor.tsx";
import { formOf } from "./template-form.ts";
import { type StoredRecord, templateQuery } from "./templates.ts";
import { TemplateState } from "./templates-screen.tsx";

/** How often the template is read while it is under review. */
const watchMs = 3_000;

export function TemplateScreen() {
  const { template } = useParams({ strict: false }) as { template: string };
  const { t } = useTranslation("connections");
  const placeTitle = usePlaceTitle("templates");
  const id = template === "new" ? null : Number(template);
  const { data, error } = useQuery({
    ...templateQuery(id ?? 0),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.state === "PENDING" ? watchMs : false),
  });
  if (id === null) {
    return (
      <Page place="templates" title={t("templates.newTitle")}>
        <TemplateEditor key="new" stored={null} isWhole />
      </Page>
    );
  }
  return (
    <Page
      place="templates"
      title={data?.nombre ?? placeTitle}
      action={data && <TemplateState state={data.state ?? "no_status"} />}
    >
      <Failure error={error} />
      {!data && !error && <Loading />}
      {data && <Stored key={id} record={data} />}
    </Page>
  );
}

function Stored({ record }: { readonly record: StoredRecord }) {
  const { t } = useTranslation("connections");
  const { isWhole } = formOf(record.nombre, record.template, record.descripcion);
  const isLocked = record.state === "PENDING" || record.state === "APPROVED";
  return (
    <>
      {record.rejected_reason && record.state !== "APPROVED" && (
        <Alert color="red" variant="light" role="alert">
          {t("templates.reason", { reason: record.rejected_reason })}
        </Alert>
      )}
      {isLocked && (
        <Alert color="gray" variant="light">
          {t("templates.locked")}
        </Alert>
      )}
      {!isWhole && (
        <Alert color="gray" variant="light">
          {t("templates.foreign")}
        </Alert>
      )}
      <TemplateEditor
        key={String(isLocked)}
        stored={record}
        isWhole={isWhole && !isLocked && record.tipo === "Cloud"}
      />
    </>
  );
}
