import "./texts.ts";
import { Badge, Button, SegmentedControl, Select } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Failure, Loading, Nothing, Page, usePlaceTitle } from "../settings/page.tsx";
import { SearchField } from "../settings/search-field.tsx";
import settings from "../settings/settings.module.css";
import { Initials } from "../shared/initials.tsx";
import styles from "./people.module.css";
import { administrator, agent, type User, useAllDepartments, useUsers } from "./people.ts";
import { useRoleName } from "./user-fields.tsx";
import { NewUserPanel, UserPanel } from "./user-panel.tsx";
import type { UsersSearch } from "./users-search.ts";

const states = ["active", "inactive", "any"] as const;
type State = (typeof states)[number];

export function UsersScreen() {
  const { t } = useTranslation("people");
  const { q = "", user } = useSearch({ strict: false }) as UsersSearch;
  const navigate = useNavigate();
  const go = (search: UsersSearch, replace = false) => void navigate({ to: "/settings/users", search, replace });
  const search = q === "" ? {} : { q };
  const [state, setState] = useState<State>("active");
  const [role, setRole] = useState<string | null>(null);
  const { data, isPending, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useUsers(q);
  const found = data?.pages.flatMap((page) => page.data) ?? [];
  const shown = found.filter(
    ({ activo, role_id }) =>
      (state === "any" || activo === (state === "active")) && (role === null || String(role_id) === role),
  );
  const add = <Button onClick={() => go({ ...search, user: "new" })}>{t("users.add")}</Button>;
  return (
    <Page place="users" action={add}>
      <div className={settings.filters}>
        <SearchField label={t("users.search")} q={q} onChange={(text) => go(text === "" ? {} : { q: text }, true)} />
        <Select
          clearable
          aria-label={t("users.role")}
          placeholder={t("users.everyRole")}
          data={[
            { value: String(administrator), label: t("users.roles.administrator") },
            { value: String(agent), label: t("users.roles.agent") },
          ]}
          value={role}
          onChange={setRole}
          className={styles.role}
        />
        <SegmentedControl
          aria-label={t("users.state")}
          value={state}
          onChange={(value) => setState(value as State)}
          data={states.map((value) => ({ value, label: t(`users.states.${value}`) }))}
        />
      </div>
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && shown.length === 0 && !hasNextPage && <Nothing text={t(q ? "users.noneFound" : "users.none", { q })} />}
      {shown.length > 0 && <List users={shown} onOpen={(id) => go({ ...search, user: id })} />}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("more")}
        </Button>
      )}
      {user === "new" && <NewUserPanel onClose={() => go(search)} />}
      {typeof user === "number" && <UserPanel key={user} id={user} onClose={() => go(search)} />}
    </Page>
  );
}

interface ListProps {
  readonly users: readonly User[];
  readonly onOpen: (id: number) => void;
}

function List({ users, onOpen }: ListProps) {
  const title = usePlaceTitle("users");
  const { data: departments } = useAllDepartments();
  const names = new Map(departments?.map(({ id, nombre }) => [id, nombre]));
  return (
    <ul aria-label={title} className={settings.list}>
      {users.map((user) => (
        <Row key={user.id} user={user} departments={names} onOpen={() => onOpen(user.id)} />
      ))}
    </ul>
  );
}

interface RowProps {
  readonly user: User;
  readonly departments: ReadonlyMap<number, string>;
  readonly onOpen: () => void;
}

function Row({ user: { id, nombre, email, role_id, activo, departamentos }, departments, onOpen }: RowProps) {
  const { t } = useTranslation("people");
  const me = useMe();
  const roleName = useRoleName();
  const within = departamentos.map((each) => departments.get(each)).filter(Boolean);
  return (
    <li className={`${settings.row} ${styles.user}`} data-inactive={!activo}>
      <Initials name={nombre} />
      <div className={settings.what}>
        <button type="button" className={styles.open} onClick={onOpen}>
          {nombre}
        </button>
        <p className={settings.detail}>{[email || t("users.noEmail"), ...within].join(" · ")}</p>
      </div>
      <div className={settings.actions}>
        {id === me.id && (
          <Badge variant="light" tt="none">
            {t("users.you")}
          </Badge>
        )}
        {!activo && (
          <Badge variant="outline" color="gray" tt="none" className={styles.quiet}>
            {t("users.states.one")}
          </Badge>
        )}
        <Badge variant="default" tt="none" fw={500}>
          {roleName(role_id)}
        </Badge>
      </div>
    </li>
  );
}
