import { MultiSelect, Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { choicesOf, useAllBranches } from "../settings/records.ts";
import settings from "../settings/settings.module.css";
import { administrator, agent, type User, useAllDepartments } from "./people.ts";

export type UserFields = Pick<User, "nombre" | "email" | "role_id" | "departamentos" | "sucursales" | "activo">;

export const fieldsOf = ({ nombre, email, role_id, departamentos, sucursales, activo }: User): UserFields => ({
  nombre,
  email,
  role_id,
  departamentos,
  sucursales,
  activo,
});

/** Any role other than administrator and agent gives the rights of an agent. */
export function useRoleName(): (role: number) => string {
  const { t } = useTranslation("people");
  return (role) => {
    if (role === administrator) return t("users.roles.administrator");
    return role === agent ? t("users.roles.agent") : t("users.roles.other");
  };
}

interface FieldsProps {
  readonly fields: UserFields;
  readonly set: (change: Partial<UserFields>) => void;
  readonly emailError?: string | undefined;
}

export function UserFieldsForm({ fields, set, emailError }: FieldsProps) {
  const { t } = useTranslation("people");
  const roleName = useRoleName();
  const departments = useAllDepartments();
  const branches = useAllBranches();
  const roles = [...new Set([agent, administrator, fields.role_id])];
  return (
    <>
      <TextInput
        data-autofocus
        required
        maxLength={200}
        label={t("users.name")}
        value={fields.nombre}
        onChange={(event) => set({ nombre: event.currentTarget.value })}
      />
      <TextInput
        required
        type="email"
        maxLength={320}
        label={t("users.email")}
        error={emailError}
        value={fields.email}
        onChange={(event) => set({ email: event.currentTarget.value })}
      />
      <Select
        allowDeselect={false}
        label={t("users.role")}
        description={t(fields.role_id === administrator ? "users.administratorHint" : "users.agentHint")}
        data={roles.map((role) => ({ value: String(role), label: roleName(role) }))}
        value={String(fields.role_id)}
        onChange={(value) => set({ role_id: Number(value) })}
      />
      <div className={settings.pair}>
        <MultiSelect
          searchable
          hidePickedOptions
          label={t("users.departments")}
          nothingFoundMessage={t("users.noDepartments")}
          data={choicesOf(departments.data)}
          value={fields.departamentos.map(String)}
          onChange={(values) => set({ departamentos: values.map(Number).sort((a, b) => a - b) })}
        />
        <MultiSelect
          searchable
          hidePickedOptions
          label={t("users.branches")}
          nothingFoundMessage={t("users.noBranches")}
          data={choicesOf(branches.data)}
          value={fields.sucursales.map(String)}
          onChange={(values) => set({ sucursales: values.map(Number).sort((a, b) => a - b) })}
        />
      </div>
    </>
  );
}
