import { Badge, Button, Loader, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { answered, api, type Contact } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { Initials } from "../shared/initials.tsx";
import styles from "./contacts.module.css";

const searchPauseMs = 250;

function useContacts(q: string) {
  return useInfiniteQuery({
    queryKey: ["contacts", q],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(q && { q }), ...(pageParam && { cursor: pageParam }) };
      return answered(api.GET("/contacts", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

export function ContactsScreen() {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim().slice(0, 100), searchPauseMs);
  const { data, isPending, isError, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useContacts(q);
  const contacts = data?.pages.flatMap((page) => page.data) ?? [];

  return (
    <div className={styles.page}>
      <Title order={1} size="h2">
        {t("nav.contacts")}
      </Title>
      <TextInput
        type="search"
        aria-label={t("contacts.search")}
        placeholder={t("contacts.search")}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        leftSection={<Icon name="search" size={18} />}
      />
      {isPending && <Loader size="sm" aria-label={t("thread.loading")} role="status" />}
      {isError && !data && <Button onClick={() => void refetch()}>{t("inbox.retry")}</Button>}
      {data && contacts.length === 0 && <Text c="dimmed">{t("contacts.none")}</Text>}
      {contacts.length > 0 && (
        <ul aria-label={t("contacts.list")} className={styles.list}>
          {contacts.map((contact) => (
            <Row key={contact.id} contact={contact} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("contacts.more")}
        </Button>
      )}
    </div>
  );
}

function Row({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation();
  const { nombre, numero, opted_out, tags, chats } = contact;
  const name = nombre || numero;
  const [chat] = chats;
  return (
    <li className={styles.row}>
      <Initials name={name} size={40} />
      <div className={styles.who}>
        <p className={styles.name}>{name}</p>
        <p className={styles.number}>{numero}</p>
        <div className={styles.tags}>
          {opted_out && (
            <Badge variant="outline" color="red" size="sm">
              {t("contacts.optedOut")}
            </Badge>
          )}
          {tags.map((tag) => (
            <Badge key={tag.id} variant="default" size="sm" tt="none" fw={500}>
              {tag.nombre}
            </Badge>
          ))}
        </div>
      </div>
      {chat && (
        <Link
          to="/inbox/$chat"
          params={{ chat: String(chat.chat_id) }}
          aria-label={`${t("contacts.openChat")}: ${name}`}
        >
          {t("contacts.openChat")}
        </Link>
      )}
    </li>
  );
}
