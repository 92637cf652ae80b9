import { ActionIcon, Alert, Badge, Button, Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { answered, api, type Chat } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { Initials } from "../shared/initials.tsx";
import { useAgentName, useAgents, useDepartments } from "./agents.ts";
import { channelNames } from "./channels.ts";
import styles from "./chat-header.module.css";
import { showChat } from "./chat-lists.ts";
import { nameOf } from "./chat-row.tsx";
import { usePresence } from "./presence.ts";
import { showFailure } from "./refusals.ts";

type Action =
  | { readonly kind: "take" }
  | { readonly kind: "assign"; readonly to: { soporte_id: number | null } | { departamento_id: number } }
  | { readonly kind: "close"; readonly ticket: "completado" | "cancelado" };

function run(id: number, action: Action): Promise<Chat> {
  const params = { path: { id } };
  if (action.kind === "take") return answered(api.POST("/chats/{id}/take", { params }));
  if (action.kind === "assign") return answered(api.POST("/chats/{id}/assign", { params, body: action.to }));
  return answered(api.POST("/chats/{id}/close", { params, body: { ticket: action.ticket } }));
}

interface ChatHeaderProps {
  readonly chat: Chat;
  readonly isPanelOpen: boolean;
  readonly onPanel: () => void;
}

export function ChatHeader({ chat, isPanelOpen, onPanel }: ChatHeaderProps) {
  const { t } = useTranslation();
  const { t: words } = useTranslation("inbox");
  const me = useMe();
  const agent = useAgentName(chat.soporte_id);
  const act = useMutation({ mutationFn: (action: Action) => run(chat.chat_id, action), onSuccess: showChat });
  const name = nameOf(chat);
  const isMine = chat.soporte_id === me.id;
  const mayManage = me.administrador || isMine;
  const isOpen = chat.estado !== "cerrado";

  return (
    <header className={styles.header}>
      <div className={styles.top}>
        <ActionIcon
          renderRoot={(props) => <Link to="/inbox" search={(before) => before} {...props} />}
          className={styles.back}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("chat.back")}
        >
          <Icon name="back" />
        </ActionIcon>
        <Initials name={name} size={40} />
        <div className={styles.who}>
          <h2 className={styles.name}>{name}</h2>
          <p className={styles.detail}>
            {[channelNames[chat.provider], chat.contacto.numero, t(`state.${chat.estado}`)].filter(Boolean).join(" · ")}
            {" · "}
            {chat.soporte_id === null ? t("chat.unassigned") : t("chat.assignedTo", { name: agent ?? "…" })}
          </p>
        </div>
        <div className={styles.actions}>
          {chat.soporte_id === null && (
            <Button
              size="xs"
              data-action="take"
              leftSection={<Icon name="hand" size={16} />}
              onClick={() => act.mutate({ kind: "take" })}
            >
              {t("chat.take")}
            </Button>
          )}
          {mayManage && <Assign onAssign={(to) => act.mutate({ kind: "assign", to })} />}
          {mayManage && isOpen && <Close onClose={(ticket) => act.mutate({ kind: "close", ticket })} />}
          <ActionIcon
            size={30}
            variant={isPanelOpen ? "light" : "default"}
            aria-label={words("panel")}
            title={words("panel")}
            aria-expanded={isPanelOpen}
            className={styles.panel}
            onClick={onPanel}
          >
            <Icon name="details" size={17} />
          </ActionIcon>
        </div>
      </div>
      {!isPanelOpen && chat.tags.length > 0 && (
        <div className={styles.tags}>
          {chat.tags.map((tag) => (
            <Badge key={tag.id} variant="default" size="sm" tt="none" fw={500}>
              {tag.nombre}
            </Badge>
          ))}
        </div>
      )}
      <Others chatId={chat.chat_id} />
      {act.isError && (
        <Alert color="red" variant="outline" role="alert" withCloseButton onClose={act.reset} className={styles.alert}>
          {showFailure(act.error)}
        </Alert>
      )}
    </header>
  );
}

function Others({ chatId }: { readonly chatId: number }) {
  const { t } = useTranslation();
  const { id } = useMe();
  const { viewing, typing } = usePresence(chatId);
  const names = viewing.filter((user) => user.id !== id).map(({ nombre }) => nombre);
  if (typing && typing.id !== id) return <p className={styles.others}>{t("chat.typing", { names: typing.nombre })}</p>;
  if (names.length === 0) return null;
  return <p className={styles.others}>{t("chat.viewing", { names: names.join(", ") })}</p>;
}

type Target = { soporte_id: number | null } | { departamento_id: number };

function Assign({ onAssign }: { readonly onAssign: (to: Target) => void }) {
  const { t } = useTranslation();
  const { data: agents = [] } = useAgents();
  const { data: departments = [] } = useDepartments();
  return (
    <Menu shadow="md" position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" data-action="assign" leftSection={<Icon name="assign" size={16} />}>
          {t("chat.assign")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: "auto" }}>
        <Menu.Item onClick={() => onAssign({ soporte_id: null })}>{t("chat.nobody")}</Menu.Item>
        {agents.length > 0 && <Menu.Label>{t("chat.agents")}</Menu.Label>}
        {agents.map(({ id, nombre, disponible }) => (
          <Menu.Item
            key={id}
            leftSection={<span className={styles.dot} data-available={disponible} />}
            onClick={() => onAssign({ soporte_id: id })}
          >
            {nombre}
          </Menu.Item>
        ))}
        {departments.length > 0 && <Menu.Label>{t("chat.departments")}</Menu.Label>}
        {departments.map(({ id, nombre }) => (
          <Menu.Item key={id} onClick={() => onAssign({ departamento_id: id })}>
            {nombre}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Close({ onClose }: { readonly onClose: (ticket: "completado" | "cancelado") => void }) {
  const { t } = useTranslation();
  return (
    <Menu shadow="md" position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" data-action="close" leftSection={<Icon name="done" size={16} />}>
          {t("chat.close")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onClose("completado")}>{t("chat.completed")}</Menu.Item>
        <Menu.Item onClick={() => onClose("cancelado")}>{t("chat.cancelled")}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
