import { ActionIcon, Alert, Badge, Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { type Chat, Refused } from "../shared/api.ts";
import { nameOf } from "../shared/customer.ts";
import { Icon } from "../shared/icons.tsx";
import { Initials } from "../shared/initials.tsx";
import { shownPhone } from "../shared/phone.ts";
import { useAgentName, useAgents } from "./agents.ts";
import { channelNames } from "./channels.ts";
import { Assign, type ChatAction, Close, runAction } from "./chat-actions.tsx";
import styles from "./chat-header.module.css";
import { showAnswered } from "./chat-lists.ts";
import { usePresence } from "./presence.ts";
import { showFailure } from "./refusals.ts";
import { focusComposer } from "./use-shortcuts.ts";

/** The most tags in the header. The panel beside the thread shows all tags. */
const shownTags = 6;

interface ChatHeaderProps {
  readonly chat: Chat;
  /** Whether the user may no longer see the chat. If so, the header has no actions. */
  readonly isLost: boolean;
  readonly isPanelOpen: boolean;
  readonly onPanel: () => void;
  /** Called with the name of a colleague who took the chat first. */
  readonly onTaken: (holder: string) => void;
}

export function ChatHeader({ chat, isLost, isPanelOpen, onPanel, onTaken }: ChatHeaderProps) {
  const { t } = useTranslation();
  const { t: tInbox } = useTranslation("inbox");
  const me = useMe();
  const agent = useAgentName(chat.soporte_id);
  const { isPending } = useAgents();
  const act = useMutation({
    mutationFn: (action: ChatAction) => runAction(chat.chat_id, action),
    onSuccess: (row, { kind }) => {
      showAnswered(row);
      if (kind === "take") focusComposer();
    },
    onError: (error) => {
      if (error instanceof Refused && error.code === "chat_taken" && error.holder) onTaken(error.holder);
    },
  });
  const { heading, hold } = useFocusBeside(act.isPending && act.variables.kind === "take");
  const name = nameOf(chat.contacto, t);
  const isMine = chat.soporte_id === me.id;
  const mayManage = me.administrador || isMine;
  const isOpen = chat.estado !== "cerrado";
  const facts = [channelNames[chat.provider], shownPhone(chat.contacto.numero)];
  const unknown = isPending ? "…" : t("chat.somebody");
  const holder = chat.soporte_id === null ? t("chat.unassigned") : t("chat.assignedTo", { name: agent ?? unknown });

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
        <span className={styles.avatar}>
          <Initials name={name} size={40} />
        </span>
        <h2 ref={heading} tabIndex={-1} className={styles.name} dir="auto">
          {name}
        </h2>
        <p className={styles.detail}>
          {(isLost ? facts : [...facts, t(`state.${chat.estado}`), holder]).filter(Boolean).join(" · ")}
        </p>
        {!isLost && (
          <div className={styles.actions} {...hold}>
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
            {mayManage && isOpen && (
              <Close
                hasTickets={chat.ticket !== null}
                onClose={(ticket, reason) => act.mutate({ kind: "close", ticket, ...(reason && { reason }) })}
              />
            )}
            <ActionIcon
              size={30}
              variant={isPanelOpen ? "light" : "default"}
              aria-label={tInbox("panel")}
              title={tInbox("panel")}
              aria-expanded={isPanelOpen}
              className={styles.panel}
              onClick={onPanel}
            >
              <Icon name="details" size={17} />
            </ActionIcon>
          </div>
        )}
      </div>
      {!isPanelOpen && chat.tags.length > 0 && (
        <div className={styles.tags}>
          {chat.tags.slice(0, shownTags).map((tag) => (
            <Badge key={tag.id} variant="default" size="sm" tt="none" fw={500}>
              {tag.nombre}
            </Badge>
          ))}
          {chat.tags.length > shownTags && (
            <Badge variant="default" size="sm" tt="none" fw={500}>
              {t("tags.more", { count: chat.tags.length - shownTags })}
            </Badge>
          )}
        </div>
      )}
      {!isLost && <Others chatId={chat.chat_id} />}
      {!isLost && act.isError && (
        <Alert color="red" variant="outline" role="alert" withCloseButton onClose={act.reset} className={styles.alert}>
          {showFailure(act.error)}
        </Alert>
      )}
    </header>
  );
}

/**
 * Moves the focus to the heading if an action removes the focused button.
 *
 * @param isAwaited - whether the running action sets the focus itself
 */
function useFocusBeside(isAwaited: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isHeld = useRef(false);
  useLayoutEffect(() => {
    const isFree = document.activeElement === null || document.activeElement === document.body;
    if (!isFree || !isHeld.current || isAwaited) return;
    isHeld.current = false;
    heading.current?.focus({ preventScroll: true });
  });
  // A focused button that is removed from the page causes no `blur`, so `isHeld` stays true.
  const hold = {
    onFocus: () => {
      isHeld.current = true;
    },
    onBlur: () => {
      isHeld.current = false;
    },
  };
  return { heading, hold };
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
