import { Button, Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ChatState } from "../shared/api.ts";
import { useDepartments } from "./agents.ts";
import styles from "./chat-filters.module.css";
import { type Chosen, chatStates, isFiltered, noFilters } from "./inbox-search.ts";
import { useTags } from "./tags.ts";
import { useCounts } from "./use-counts.ts";

interface PickerProps {
  readonly chosen: Chosen;
  readonly onChange: (change: Chosen) => void;
}

const choiceOf = ({ id, nombre }: { readonly id: number; readonly nombre: string }) => ({
  value: String(id),
  label: nombre,
});
const idOf = (value: string | null): number | undefined => (value === null ? undefined : Number(value));

/** Has a default export, since its code is loaded separately by `lazy`. */
export default function FilterPicker({ chosen, onChange }: PickerProps) {
  const { t } = useTranslation("inbox");
  const { t: tCommon } = useTranslation();
  const { data: departments = [] } = useDepartments();
  const { data: tags = [] } = useTags();
  const counts: Readonly<Partial<Record<ChatState, number>>> = useCounts()?.by_estado ?? {};
  const common = { clearable: true, placeholder: t("any"), nothingFoundMessage: t("nothingFound") } as const;
  const inside = { comboboxProps: { withinPortal: false } } as const;
  return (
    <div className={styles.picker}>
      <Select
        {...common}
        {...inside}
        data-autofocus
        label={t("state")}
        data={chatStates.map((state) => ({
          value: state,
          label: counts[state] ? `${tCommon(`state.${state}`)} (${counts[state]})` : tCommon(`state.${state}`),
        }))}
        value={chosen.state ?? null}
        onChange={(value) => onChange({ state: chatStates.find((state) => state === value) })}
      />
      <Select
        {...common}
        {...inside}
        searchable
        label={t("department")}
        data={departments.map(choiceOf)}
        value={chosen.department ? String(chosen.department) : null}
        onChange={(value) => onChange({ department: idOf(value) })}
      />
      <Select
        {...common}
        {...inside}
        searchable
        label={t("tag")}
        limit={100}
        data={tags.map(choiceOf)}
        value={chosen.tag ? String(chosen.tag) : null}
        onChange={(value) => onChange({ tag: idOf(value) })}
      />
      {isFiltered(chosen) && (
        <Button size="xs" variant="default" onClick={() => onChange(noFilters)}>
          {t("clear")}
        </Button>
      )}
    </div>
  );
}
