import "./inbox-texts.ts";
import { ActionIcon, Button, Loader, Popover } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { loadPart } from "../shared/load-part.ts";
import { useDepartments } from "./agents.ts";
import styles from "./chat-filters.module.css";
import { type Chosen, inboxSearch, isFiltered, type Part } from "./inbox-search.ts";
import { useTags } from "./tags.ts";

const Picker = lazy(() => loadPart(() => import("./filter-picker.tsx")));

/** The filters in the page's URL, and a function that changes them. The value undefined removes a filter. */
export function useFilters(): readonly [Chosen, (change: Chosen) => void] {
  const { state, department, tag } = useSearch({ from: "/inbox" });
  const navigate = useNavigate();
  const change = (part: Chosen): void =>
    void navigate({ to: ".", search: (before: object) => inboxSearch({ ...before, ...part }) });
  return [{ state, department, tag }, change];
}

export function FilterButton() {
  const { t } = useTranslation("inbox");
  const [isOpen, setOpen] = useState(false);
  const [chosen, change] = useFilters();
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={280} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant={isFiltered(chosen) ? "light" : "default"}
          size={36}
          aria-label={t("filter")}
          title={t("filter")}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="filter" size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("filters")}>
        <Suspense fallback={<Loader size="sm" />}>
          <Picker chosen={chosen} onChange={change} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

export function FilterChips() {
  const { t } = useTranslation("inbox");
  const { t: tCommon } = useTranslation();
  const [{ state, department, tag }, change] = useFilters();
  const departments = useDepartments();
  const tags = useTags(tag !== undefined);
  const nameIn = (all: readonly { id: number; nombre: string }[] | undefined, id: number): string =>
    all?.find((one) => one.id === id)?.nombre ?? `#${id}`;
  const chips: { readonly part: Part; readonly name: string }[] = [
    ...(state ? [{ part: "state" as const, name: tCommon(`state.${state}`) }] : []),
    ...(department ? [{ part: "department" as const, name: nameIn(departments.data, department) }] : []),
    ...(tag ? [{ part: "tag" as const, name: nameIn(tags.data, tag) }] : []),
  ];
  if (chips.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label={t("filters")}>
      {chips.map(({ part, name }) => (
        <li key={part}>
          <Button
            size="compact-sm"
            variant="light"
            radius="xl"
            className={styles.chip}
            rightSection={<Icon name="close" size={12} />}
            aria-label={t("remove", { name })}
            onClick={() => change({ [part]: undefined })}
          >
            {name}
          </Button>
        </li>
      ))}
    </ul>
  );
}
