import { Button, Menu, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { answered, api, type Chat } from "../shared/api.ts";
import { Dialog } from "../shared/dialog.tsx";
import { Icon } from "../shared/icons.tsx";
import { useAgents, useDepartments } from "./agents.ts";
import styles from "./chat-header.module.css";

type TicketEnd = "completado" | "cancelado";
type Target = { soporte_id: number | null } | { departamento_id: number };

export type ChatAction =
  | { readonly kind: "take" }
  | { readonly kind: "assign"; readonly to: Target }
  | { readonly kind: "close"; readonly ticket: TicketEnd; readonly reason?: string };

export function runAction(id: number, action: ChatAction): Promise<Chat> {
  const params = { path: { id } };
  if (action.kind === "take") return answered(api.POST("/chats/{id}/take", { params }));
  if (action.kind === "assign") return answered(api.POST("/chats/{id}/assign", { params, body: action.to }));
  const body = { ticket: action.ticket, ...(action.reason && { motivo: action.reason }) };
  return answered(api.POST("/chats/{id}/close", { params, body }));
}

export function Assign({ onAssign }: { readonly onAssign: (to: Target) => void }) {
  const { t } = useTranslation();
  const { data: agents = [] } = useAgents();
  const { data: departments = [] } = useDepartments();
  return (
    <Menu shadow="md" position="bottom-end" withinPortal={false}>
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

interface CloseProps {
  /** Whether the chat has open tickets, so that the user has to choose how they end. */
  readonly hasTickets: boolean;
  readonly onClose: (ticket: TicketEnd, reason?: string) => void;
}

const longestReason = 1_000;

export function Close({ hasTickets, onClose }: CloseProps) {
  const { t } = useTranslation();
  const [givesReason, setGivesReason] = useState(false);
  const [reason, setReason] = useState("");
  const ends = hasTickets ? (["completado", "cancelado"] as const) : (["completado"] as const);
  const nameOf = (end: TicketEnd): string =>
    hasTickets ? t(end === "completado" ? "chat.completed" : "chat.cancelled") : t("chat.closeChat");
  return (
    <>
      <Menu shadow="md" position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button size="xs" variant="default" data-action="close" leftSection={<Icon name="done" size={16} />}>
            {t("chat.close")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {ends.map((end) => (
            <Menu.Item key={end} onClick={() => onClose(end)}>
              {nameOf(end)}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => setGivesReason(true)}>{t("chat.withReason")}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog title={t("chat.closeChat")} opened={givesReason} onClose={() => setGivesReason(false)}>
        <Textarea
          label={t("chat.reason")}
          description={t("chat.reasonHint")}
          data-autofocus
          autosize={false}
          rows={3}
          maxLength={longestReason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <div className={styles.ends}>
          {ends.map((end) => (
            <Button
              key={end}
              variant={end === "completado" ? "filled" : "default"}
              onClick={() => {
                setGivesReason(false);
                onClose(end, reason.trim());
              }}
            >
              {nameOf(end)}
            </Button>
          ))}
        </div>
      </Dialog>
    </>
  );
}
