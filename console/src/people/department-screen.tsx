import "./texts.ts";
import { Button, Group, MultiSelect, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Asking } from "../settings/asking.tsx";
import { Failure, Loading, Page } from "../settings/page.tsx";
import { MovedOn } from "../settings/record-notice.tsx";
import { choicesOf } from "../settings/records.ts";
import settings from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { Frozen } from "../shared/frozen.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import { LinkButton } from "../shared/link-button.tsx";
import { type Read, useRecordForm } from "../shared/record-form.ts";
import { type Hours, overlapping, weekOf } from "./hours.ts";
import { OpeningHours } from "./opening-hours.tsx";
import { type Department, readDepartment, useAllUsers } from "./people.ts";
import { usersChanged } from "./users-changed.ts";

type Fields = Pick<Department, "nombre" | "agentes" | "horario" | "mensaje_fuera_de_horario">;

const empty: Fields = { nombre: "", agentes: [], horario: null, mensaje_fuera_de_horario: null };

const readOf = ({ nombre, agentes, horario, mensaje_fuera_de_horario, version }: Department): Read<Fields> => ({
  fields: { nombre, agentes, horario, mensaje_fuera_de_horario },
  version,
});

export function DepartmentScreen() {
  const { t } = useTranslation("people");
  const { department = "new" } = useParams({ strict: false });
  const isNew = department === "new";
  const { data, error, isPending } = useQuery({
    queryKey: ["admin", "departments", "one", department],
    queryFn: () => readDepartment(Number(department)),
    enabled: !isNew,
    // A form must start from fresh data.
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Page place="departments" title={isNew ? t("departments.add") : (data?.nombre ?? "…")}>
      {!isNew && isPending && <Loading />}
      <Failure error={error} />
      {isNew && <DepartmentForm key="new" id={null} start={{ fields: empty, version: null }} />}
      {data && <DepartmentForm key={data.id} id={data.id} start={readOf(data)} />}
    </Page>
  );
}

interface FormProps {
  readonly id: number | null;
  readonly start: Read<Fields>;
}

const words = {
  nombre: "name",
  agentes: "members",
  horario: "hours",
  mensaje_fuera_de_horario: "message",
} as const;

function DepartmentForm({ id, start }: FormProps) {
  const { t } = useTranslation("people");
  const navigate = useNavigate();
  const toList = (): void => {
    release();
    // After a department is created, going back must not open the form for a new department again.
    void navigate({ to: "/settings/departments", replace: id === null });
  };
  const users = useAllUsers();
  const form = useRecordForm<Fields, Department>(start, {
    save: (body, header) =>
      id === null
        ? answered(api.POST("/admin/departments", { body }))
        : answered(api.PUT("/admin/departments/{id}", { params: { path: { id }, header }, body })),
    readAgain: async () => (id === null ? start : readOf(await readDepartment(id))),
    refresh: () => void usersChanged(),
    onSaved: toList,
  });
  const { release, question } = useLeaving(form.isChanged);
  const { fields, set } = form;
  const overlap = overlapping(weekOf(fields.horario as Hours));
  const send = (event: FormEvent): void => {
    event.preventDefault();
    form.save();
  };
  return (
    <form onSubmit={send} className={settings.form}>
      <MovedOn clashes={form.clashes?.map((name) => t(`departments.${words[name]}`)) ?? null} />
      <Frozen when={form.isSaving}>
        <TextInput
          required
          maxLength={200}
          label={t("departments.name")}
          value={fields.nombre}
          onChange={(event) => set({ nombre: event.currentTarget.value })}
        />
        <MultiSelect
          searchable
          hidePickedOptions
          label={t("departments.members")}
          description={t("departments.membersHint")}
          data={choicesOf(users.data?.filter((user) => user.activo || fields.agentes.includes(user.id)))}
          value={fields.agentes.map(String)}
          onChange={(values) => set({ agentes: values.map(Number).sort((a, b) => a - b) })}
        />
        <OpeningHours hours={fields.horario as Hours} onChange={(horario) => set({ horario })} />
        {overlap && (
          <p role="alert" className={settings.reason}>
            {t("hours.overlap", { day: t(`hours.days.${overlap}`) })}
          </p>
        )}
        <Textarea
          autosize
          minRows={2}
          maxRows={8}
          maxLength={4_000}
          label={t("departments.message")}
          description={t("departments.messageHint")}
          value={fields.mensaje_fuera_de_horario ?? ""}
          onChange={(event) => set({ mensaje_fuera_de_horario: event.currentTarget.value || null })}
        />
      </Frozen>
      <Failure error={form.error} />
      <Group justify="space-between">
        {id === null ? <span /> : <RemoveDepartment id={id} name={start.fields.nombre} onDone={toList} />}
        <Group>
          <LinkButton variant="default" to="/settings/departments">
            {t("cancel")}
          </LinkButton>
          <Button
            type="submit"
            loading={form.isSaving}
            disabled={fields.nombre.trim() === "" || overlap !== undefined || !form.isChanged}
          >
            {t("save")}
          </Button>
        </Group>
      </Group>
      {question}
    </form>
  );
}

interface RemoveProps {
  readonly id: number;
  readonly name: string;
  readonly onDone: () => void;
}

function RemoveDepartment({ id, name, onDone }: RemoveProps) {
  const { t } = useTranslation("people");
  const remove = useMutation({
    mutationFn: () => api.DELETE("/admin/departments/{id}", { params: { path: { id } } }),
    onSettled: usersChanged,
  });
  return (
    <Asking
      label={t("departments.remove")}
      name={name}
      question={t("departments.removeAsk", { name })}
      act={remove}
      onDone={onDone}
    />
  );
}
