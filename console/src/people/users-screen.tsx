import "./texts.ts";
import { Badge, Button, SegmentedControl, Select } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { CsvActions } from "../settings/csv-actions.tsx";
import { Failure, Loading, More, Nothing, Page, usePlaceTitle } from "../settings/page.tsx";
import { SearchField } from "../settings/search-field.tsx";
import settings from "../settings/settings.module.css";
import { Initials } from "../shared/initials.tsx";
import { useSetSearch } from "../shared/use-set-search.ts";
import styles from "./people.module.css";
import { administrator, agent, type User, useAllDepartments, useUsers } from "./people.ts";
import { useRoleName } from "./user-fields.tsx";
import { type NewUser, NewUserPanel, UserPanel } from "./user-panel.tsx";
import { usersChanged } from "./users-changed.ts";
import { filtersOf, standings, type UsersSearch } from "./users-search.ts";

export function UsersScreen() {
  const { t } = useTranslation("people");
  const { user, ...search } = useSearch({ strict: false }) as UsersSearch;
  const navigate = useNavigate();
  const go = (wanted: UsersSearch, replace = false) =>
    void navigate({ to: "/settings/users", search: wanted, replace });
  const [made, setMade] = useState<NewUser | null>(null);
  const close = (): void => {
    setMade(null);
    go(search, user === "new" || made !== null);
  };
  const list = useUsers(filtersOf(search));
  const { data, isPending, error, refetch } = list;
  const users = data?.pages.flatMap((page) => page.data) ?? [];
  const open = (id: number): void => {
    setMade(null);
    go({ ...search, user: id });
  };
  const { q } = search;
  const add = <Button onClick={() => go({ ...search, user: "new" })}>{t("users.add")}</Button>;
  return (
    <Page place="users" action={add}>
      <Filters search={search} />
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && users.length === 0 && <Nothing text={t(q ? "users.noneFound" : "users.none", { q })} />}
      {users.length > 0 && <List users={users} onOpen={open} />}
      <More list={list} text={t("more")} />
      {(user === "new" || (made && user === made.id)) && (
        <NewUserPanel
          made={user === "new" ? null : made}
          onMade={(saved) => {
            setMade(saved);
            go({ ...search, user: saved.id }, true);
          }}
          onClose={close}
        />
      )}
      {typeof user === "number" && user !== made?.id && <UserPanel key={user} id={user} onClose={close} />}
    </Page>
  );
}

function Filters({ search }: { readonly search: UsersSearch }) {
  const { t } = useTranslation("people");
  const roleName = useRoleName();
  const { q = "", role, standing = "active" } = search;
  const set = useSetSearch<UsersSearch>();
  const roles = [...new Set([administrator, agent, role ?? agent])];
  const exported = Object.entries(filtersOf(search)).map(([name, value]) => [name, String(value)]);
  return (
    <div className={settings.filters}>
      <SearchField label={t("users.search")} q={q} onChange={(text) => set({ q: text || undefined })} />
      <Select
        clearable
        aria-label={t("users.role")}
        placeholder={t("users.everyRole")}
        data={roles.map((each) => ({ value: String(each), label: roleName(each) }))}
        value={role === undefined ? null : String(role)}
        onChange={(value) => set({ role: value === null ? undefined : Number(value) })}
        className={styles.role}
      />
      <SegmentedControl
        aria-label={t("users.state")}
        value={standing}
        onChange={(value) => set({ standing: value === "active" ? undefined : value })}
        data={standings.map((value) => ({ value, label: t(`users.states.${value}`) }))}
      />
      <CsvActions
        place="users"
        columns={t("users.columns")}
        filters={Object.fromEntries(exported)}
        onImported={usersChanged}
      />
    </div>
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
