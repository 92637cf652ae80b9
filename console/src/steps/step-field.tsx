import {
  MultiSelect,
  NumberInput,
  Select,
  type SelectProps,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useAllDepartments, useAllUsers } from "../people/people.ts";
import { choicesOf } from "../settings/records.ts";
import { ChoicesField } from "./choices-field.tsx";
import { type FieldProps, useSaid } from "./field-props.ts";
import { FileField } from "./file-field.tsx";
import type { FieldName } from "./step-fields.ts";
import { type StepType, stepTypes, useAllTags } from "./steps.ts";

export function StepField(props: FieldProps) {
  switch (props.name) {
    case "tipo":
      return <TypeField {...props} />;
    case "contenido":
    case "descripcion":
    case "helper_data":
      return <LinesField {...props} name={props.name} />;
    case "media_url":
      return <FileField {...props} />;
    case "botones":
    case "opciones":
      return <ChoicesField {...props} name={props.name} />;
    case "catalogs":
      return <CatalogsField {...props} />;
    case "catalogo_id":
    case "ai_prompt_id":
    case "estructura_id":
    case "maps_radius":
      return <CountField {...props} name={props.name} />;
    case "inicio":
    case "loop":
    case "check_sucursal":
      return <FlagField {...props} name={props.name} />;
    case "paso_id":
    case "paso_automatico":
      return <OtherStepField {...props} name={props.name} />;
    case "departamento":
      return <DepartmentField {...props} />;
    case "agente":
      return <AgentField {...props} />;
    case "tags":
      return <TagsField {...props} />;
    default:
      return <TextField {...props} name={props.name} />;
  }
}

type Named<Name extends FieldName> = FieldProps & { readonly name: Name };

const longest = {
  ...{ nombre: 200, variable: 200, flow_id: 200, media_tipo: 200, identificador: 200 },
  ...{ titulo_opciones: 1_000, media: 1_000, maps_search: 1_000, iniciador: 1_000 },
} as const;

function TextField({ name, error, fields, set }: Named<keyof typeof longest>) {
  const said = useSaid({ name, error });
  return (
    <TextInput
      {...said}
      required={name === "nombre"}
      data-autofocus={name === "nombre" || undefined}
      maxLength={longest[name]}
      value={fields[name] ?? ""}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
}

function LinesField({ name, error, fields, set }: Named<"contenido" | "descripcion" | "helper_data">) {
  const said = useSaid({ name, error });
  return (
    <Textarea
      {...said}
      autosize
      minRows={name === "contenido" ? 3 : 1}
      maxRows={12}
      maxLength={name === "helper_data" ? 20_000 : 4_096}
      value={fields[name] ?? ""}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      {...(name === "helper_data" && { spellCheck: false, styles: { input: { fontFamily: "monospace" } } })}
    />
  );
}

function TypeField({ error, fields, set }: FieldProps) {
  const { t } = useTranslation("steps");
  return (
    <Select
      label={t("fields.tipo")}
      description={t(`types.${fields.tipo}.help`)}
      error={error}
      allowDeselect={false}
      data={stepTypes.map((type) => ({ value: type, label: t(`types.${type}.title`) }))}
      value={fields.tipo}
      onChange={(type) => type !== null && set({ tipo: type as StepType })}
    />
  );
}

const most = { maps_radius: 1_000_000 } as const;

function CountField({
  name,
  error,
  fields,
  set,
}: Named<"catalogo_id" | "ai_prompt_id" | "estructura_id" | "maps_radius">) {
  const said = useSaid({ name, error });
  return (
    <NumberInput
      {...said}
      hideControls
      allowDecimal={false}
      allowNegative={false}
      max={name === "maps_radius" ? most[name] : Number.MAX_SAFE_INTEGER}
      value={fields[name] ?? ""}
      onChange={(value) => set({ [name]: value === "" ? null : Number(value) })}
    />
  );
}

function FlagField({ name, error, fields, set }: Named<"inicio" | "loop" | "check_sucursal">) {
  const said = useSaid({ name, error });
  return (
    <Switch
      {...said}
      checked={fields[name] === true}
      onChange={(event) => set({ [name]: event.currentTarget.checked })}
    />
  );
}

/** The library renders every choice, so a list shows at most this many at once. Typing finds the others. */
const choicesShown = 50;

const Choice = (props: SelectProps) => <Select clearable searchable limit={choicesShown} {...props} />;

function OtherStepField({ name, error, fields, id, steps, set }: Named<"paso_id" | "paso_automatico">) {
  const { t } = useTranslation("steps");
  const said = useSaid({ name, error });
  const chosen = fields[name] ?? null;
  const isKnown = chosen === null || steps.some((step) => step.id === chosen);
  const names = new Map<string, number>();
  for (const { nombre } of steps) names.set(nombre, (names.get(nombre) ?? 0) + 1);
  const data = steps.map((step) => ({
    value: String(step.id),
    label: `${step.nombre}${(names.get(step.nombre) ?? 0) > 1 ? ` (${step.identificador})` : ""}${step.id === id ? ` · ${t("thisStep")}` : ""}`,
  }));
  return (
    <Choice
      {...said}
      nothingFoundMessage={t("noStep")}
      placeholder={t(name === "paso_id" ? "noParent" : "noNext")}
      data={isKnown ? data : [{ value: String(chosen), label: t("archivedStep") }, ...data]}
      value={chosen === null ? null : String(chosen)}
      onChange={(value) => set({ [name]: value === null ? null : Number(value) })}
    />
  );
}

function DepartmentField({ name, error, fields, set }: FieldProps) {
  const { t } = useTranslation("steps");
  const said = useSaid({ name, error });
  const { data } = useAllDepartments();
  return (
    <Choice
      {...said}
      placeholder={t("anyDepartment")}
      data={choicesOf(data)}
      value={fields.departamento ? String(fields.departamento) : null}
      onChange={(value) => set({ departamento: value === null ? null : Number(value) })}
    />
  );
}

function AgentField({ name, error, fields, set }: FieldProps) {
  const { t } = useTranslation("steps");
  const said = useSaid({ name, error });
  const { data } = useAllUsers();
  const users = data?.filter((user) => user.activo || String(user.id) === fields.agente);
  return (
    <Choice
      {...said}
      placeholder={t("anyAgent")}
      data={choicesOf(users)}
      value={fields.agente}
      onChange={(agente) => set({ agente })}
    />
  );
}

function TagsField({ name, error, fields, set }: FieldProps) {
  const said = useSaid({ name, error });
  const { data } = useAllTags();
  return (
    <MultiSelect
      {...said}
      clearable
      searchable
      hidePickedOptions
      limit={choicesShown}
      maxValues={100}
      data={choicesOf(data)}
      value={fields.tags === "" ? [] : fields.tags.split(",")}
      onChange={(values) => set({ tags: values.join(",") })}
    />
  );
}

/** Edits a list of catalog ids. A value that is not such a list is edited as text. */
function CatalogsField({ name, error, fields, set }: FieldProps) {
  const said = useSaid({ name, error });
  const list = listIn(fields.catalogs);
  if (list === null) {
    return (
      <Textarea
        {...said}
        autosize
        maxRows={8}
        maxLength={20_000}
        value={fields.catalogs}
        onChange={(event) => set({ catalogs: event.currentTarget.value })}
      />
    );
  }
  const written = (ids: readonly string[]): string => {
    const before = new Map(list.map((each) => [String(each), each]));
    return ids.length === 0 ? "" : JSON.stringify(ids.map((each) => before.get(each) ?? each));
  };
  return (
    <TagsInput {...said} maxTags={100} value={list.map(String)} onChange={(ids) => set({ catalogs: written(ids) })} />
  );
}

function listIn(text: string): readonly (string | number)[] | null {
  if (text.trim() === "") return [];
  try {
    const list: unknown = JSON.parse(text);
    const isList = Array.isArray(list) && list.every((each) => typeof each === "string" || typeof each === "number");
    return isList ? list : null;
  } catch {
    return null;
  }
}
