import "./texts.ts";
import { Button, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Failure, Loading } from "../settings/page.tsx";
import { MovedOn } from "../settings/record-notice.tsx";
import settings from "../settings/settings.module.css";
import { answered, api, Refused } from "../shared/api.ts";
import { Frozen } from "../shared/frozen.tsx";
import { useLeaving } from "../shared/leaving.tsx";
import { Panel } from "../shared/panel.tsx";
import { meKey, queryClient } from "../shared/query.ts";
import { useRecordForm } from "../shared/record-form.ts";
import { InvitationLink } from "./invitation-link.tsx";
import { agent, type Invitation, readUser, type User } from "./people.ts";
import { UserAccess } from "./user-access.tsx";
import { fieldsOf, type UserFields, UserFieldsForm } from "./user-fields.tsx";
import { usersChanged } from "./users-changed.ts";

const emptyUser: UserFields = {
  nombre: "",
  email: "",
  role_id: agent,
  departamentos: [],
  sucursales: [],
  activo: true,
};

export interface NewUser {
  readonly id: number;
  readonly nombre: string;
  readonly invitation: Invitation;
}

interface NewUserProps {
  /** The user that was just created; null as long as the form is shown. */
  readonly made: NewUser | null;
  readonly onMade: (user: NewUser) => void;
  readonly onClose: () => void;
}

export function NewUserPanel({ made, onMade, onClose }: NewUserProps) {
  const { t } = useTranslation("people");
  const form = useRecordForm(
    { fields: emptyUser, version: null },
    {
      save: (body) => answered(api.POST("/admin/users", { body })),
      readAgain: async () => ({ fields: emptyUser, version: null }),
      refresh: () => void usersChanged(),
      onSaved: (saved) => {
        release();
        onMade(saved);
      },
    },
  );
  const { release, question } = useLeaving(form.isChanged && made === null);
  return (
    <Panel title={made ? t("users.invited", { name: made.nombre }) : t("users.add")} onClose={onClose}>
      {made ? (
        <Stack>
          <InvitationLink invitation={made.invitation} name={made.nombre} />
          <Button onClick={onClose}>{t("close")}</Button>
        </Stack>
      ) : (
        <UserForm form={form} submit={t("users.invite")} onClose={onClose} />
      )}
      {question}
    </Panel>
  );
}

interface UserPanelProps {
  readonly id: number;
  readonly onClose: () => void;
}

export function UserPanel({ id, onClose }: UserPanelProps) {
  const { t } = useTranslation("people");
  const { data, error, isPending } = useQuery({
    queryKey: ["admin", "users", "one", id],
    queryFn: () => readUser(id),
    // A form must start from fresh data.
    staleTime: 0,
    gcTime: 0,
  });
  const { setDirty, release, question } = useLeaving(false);
  const done = (): void => {
    release();
    onClose();
  };
  return (
    <Panel title={data?.nombre ?? t("users.edit")} onClose={onClose}>
      {isPending && <Loading />}
      <Failure error={error} />
      {data && (
        <Stack gap="xl">
          <EditUser user={data} onDirty={setDirty} onCancel={onClose} onDone={done} />
          <UserAccess user={data} onArchived={done} />
        </Stack>
      )}
      {question}
    </Panel>
  );
}

interface EditProps {
  readonly user: User;
  readonly onDirty: (isDirty: boolean) => void;
  readonly onCancel: () => void;
  readonly onDone: () => void;
}

function EditUser({ user, onDirty, onCancel, onDone }: EditProps) {
  const { t } = useTranslation("people");
  const me = useMe();
  const path = { id: user.id };
  const stored = { fields: fieldsOf(user), version: user.version };
  const form = useRecordForm<UserFields, User>(stored, {
    save: (body, header) => answered(api.PUT("/admin/users/{id}", { params: { path, header }, body })),
    readAgain: async () => {
      const now = await readUser(user.id);
      return { fields: fieldsOf(now), version: now.version };
    },
    refresh: () => {
      void usersChanged();
      if (user.id === me.id) void queryClient.invalidateQueries({ queryKey: meKey });
    },
    onSaved: onDone,
  });
  // Actions below the form, such as an activation, also change the record. An unchanged form then shows the changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another version counts
  useEffect(() => {
    if (!form.isChanged) form.reset(stored);
  }, [user.version]);
  useEffect(() => onDirty(form.isChanged), [form.isChanged, onDirty]);
  return <UserForm form={form} submit={t("save")} onClose={onCancel} />;
}

interface UserFormProps {
  readonly form: Pick<
    ReturnType<typeof useRecordForm<UserFields, unknown>>,
    "fields" | "set" | "save" | "isSaving" | "error" | "clashes" | "isChanged"
  >;
  readonly submit: string;
  readonly onClose: () => void;
}

const words = { nombre: "name", email: "email", role_id: "role", activo: "state" } as const;
const lists = { departamentos: "departments", sucursales: "branches" } as const;

function UserForm({ form, submit, onClose }: UserFormProps) {
  const { t } = useTranslation("people");
  const isTaken = form.error instanceof Refused && form.error.code === "taken";
  const clashes = form.clashes?.map((name) => t(`users.${{ ...words, ...lists }[name]}`)) ?? null;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    form.save();
  };
  return (
    <form onSubmit={send} className={settings.form}>
      <MovedOn clashes={clashes} />
      <Frozen when={form.isSaving}>
        <UserFieldsForm fields={form.fields} set={form.set} emailError={isTaken ? t("users.emailTaken") : undefined} />
      </Frozen>
      {!isTaken && <Failure error={form.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("cancel")}
        </Button>
        <Button
          type="submit"
          loading={form.isSaving}
          disabled={form.fields.nombre.trim() === "" || form.fields.email.trim() === "" || !form.isChanged}
        >
          {submit}
        </Button>
      </Group>
    </form>
  );
}
