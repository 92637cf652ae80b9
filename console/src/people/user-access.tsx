import "./texts.ts";
import { Button, Group, Stack, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Asking } from "../settings/asking.tsx";
import { Failure } from "../settings/page.tsx";
import settings from "../settings/settings.module.css";
import { answered, api } from "../shared/api.ts";
import { newestError } from "../shared/newest-error.ts";
import { InvitationLink } from "./invitation-link.tsx";
import type { User } from "./people.ts";
import { OwnSessions, UserSessions } from "./sessions.tsx";
import { fieldsOf } from "./user-fields.tsx";
import { usersChanged } from "./users-changed.ts";

interface AccessProps {
  readonly user: User;
  readonly onArchived: () => void;
}

/** Invitation, password reset, activation, archiving and sessions of a user. */
export function UserAccess({ user, onArchived }: AccessProps) {
  const { t } = useTranslation("people");
  const me = useMe();
  const { id, nombre: name, version } = user;
  const params = { path: { id } };
  const isOwn = id === me.id;
  const invite = useMutation({
    mutationFn: () => answered(api.POST("/admin/users/{id}/invite", { params })),
    // The new link makes the link of an earlier password reset invalid, so that link is no longer shown.
    onSuccess: () => reset.reset(),
  });
  const reset = useMutation({
    mutationFn: () => api.POST("/admin/users/{id}/reset-password", { params }),
    onSettled: usersChanged,
  });
  const write = (activo: boolean) => {
    const header = { "If-Match": `"${version}"` };
    return api.PUT("/admin/users/{id}", { params: { ...params, header }, body: { ...fieldsOf(user), activo } });
  };
  const deactivate = useMutation({ mutationFn: () => write(false), onSettled: usersChanged });
  const activate = useMutation({ mutationFn: () => answered(write(true)), onSettled: usersChanged });
  const archive = useMutation({
    mutationFn: () => api.DELETE("/admin/users/{id}", { params }),
    onSettled: usersChanged,
  });
  const made = reset.data?.data?.invitation ?? invite.data?.invitation;
  return (
    <Stack component="section" gap="md" aria-labelledby="user-access">
      <Title order={2} size="h4" id="user-access">
        {t("access.title")}
      </Title>
      {made && <InvitationLink invitation={made} name={name} />}
      <Failure error={newestError(invite, activate)} />
      <Group gap="xs">
        {user.activo && user.email !== "" && (
          <Button variant="default" size="sm" loading={invite.isPending} onClick={() => invite.mutate()}>
            {t("access.invite")}
          </Button>
        )}
        {user.activo && !isOwn && user.email !== "" && (
          <Asking label={t("access.reset")} name={name} question={t("access.resetAsk", { name })} act={reset} />
        )}
        {user.activo && !isOwn && (
          <Asking
            label={t("access.deactivate")}
            name={name}
            question={t("access.deactivateAsk", { name })}
            act={deactivate}
          />
        )}
        {!user.activo && (
          <Button size="sm" loading={activate.isPending} onClick={() => activate.mutate()}>
            {t("access.activate")}
          </Button>
        )}
        {!isOwn && (
          <Asking
            label={t("access.archive")}
            name={name}
            question={t("access.archiveAsk", { name })}
            act={archive}
            onDone={onArchived}
          />
        )}
      </Group>
      {!user.activo && <p className={settings.detail}>{t("access.inactive", { name })}</p>}
      {isOwn ? <OwnSessions level={3} /> : <UserSessions userId={id} />}
    </Stack>
  );
}
