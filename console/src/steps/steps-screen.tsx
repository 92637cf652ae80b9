import "./texts.ts";
import { Button, SegmentedControl } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure, Loading, Nothing, Page } from "../settings/page.tsx";
import { SearchField } from "../settings/search-field.tsx";
import settings from "../settings/settings.module.css";
import { Flow } from "./flow.tsx";
import { filtered, forestOf, matcherOf } from "./forest.ts";
import { StepPanel } from "./step-panel.tsx";
import { StepTree } from "./step-tree.tsx";
import styles from "./steps.module.css";
import { mostSteps, type Step, useAllSteps } from "./steps.ts";
import type { StepsSearch } from "./steps-search.ts";

export function StepsScreen() {
  const { t } = useTranslation("steps");
  const { q = "", step, under, picture = false } = useSearch({ strict: false }) as StepsSearch;
  const navigate = useNavigate();
  const go = (search: StepsSearch, replace = false): void => void navigate({ to: "/settings/steps", search, replace });
  const search: StepsSearch = { ...(q !== "" && { q }), ...(picture && { picture: true }) };
  const { data: steps, isPending, error, refetch } = useAllSteps();
  const [last, setLast] = useState<number | null>(null);
  const current = typeof step === "number" ? step : last;
  const open = (id: number): void => {
    setLast(id);
    go({ ...search, step: id });
  };
  const add = (after: number | null): void => go({ ...search, step: "new", ...(after !== null && { under: after }) });
  const isEmpty = steps?.length === 0;
  const button = !isEmpty && <Button onClick={() => add(null)}>{t("add")}</Button>;
  return (
    <Page place="steps" action={button}>
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {isEmpty && (
        <Nothing text={t("none")}>
          <Button onClick={() => add(null)}>{t("first")}</Button>
        </Nothing>
      )}
      {steps && !isEmpty && (
        <>
          <Views
            steps={steps}
            q={q}
            isFlow={picture}
            current={current}
            onSearch={(text) => go({ ...(text !== "" && { q: text }), ...(picture && { picture: true }) }, true)}
            onView={(isFlow) => go({ ...(q !== "" && { q }), ...(isFlow && { picture: true }) }, true)}
            onOpen={open}
            onAdd={add}
          />
          {steps.length >= mostSteps && <p className={settings.detail}>{t("tooMany", { count: mostSteps })}</p>}
        </>
      )}
      {step !== undefined && steps && (
        <StepPanel
          key={`${step} ${under ?? ""}`}
          id={step}
          under={under ?? null}
          steps={steps}
          onClose={() => go(search, step === "new")}
          onSaved={(id) => {
            setLast(id);
            go(search, step === "new");
          }}
          onAdd={add}
        />
      )}
    </Page>
  );
}

interface ViewsProps {
  readonly steps: readonly Step[];
  readonly q: string;
  readonly isFlow: boolean;
  readonly current: number | null;
  readonly onSearch: (q: string) => void;
  readonly onView: (isFlow: boolean) => void;
  readonly onOpen: (id: number) => void;
  readonly onAdd: (under: number) => void;
}

/** The tree, with the diagram next to it if the screen is wide enough. With `isFlow` only the diagram. */
function Views({ steps, q, isFlow, current, onSearch, onView, onOpen, onAdd }: ViewsProps) {
  const { t } = useTranslation("steps");
  const isWide = useMediaQuery("(min-width: 1200px)", undefined, { getInitialValueInEffect: false }) === true;
  const forest = useMemo(() => forestOf(steps), [steps]);
  const isMatch = useMemo(() => matcherOf(q), [q]);
  const shown = useMemo(() => (q === "" ? forest : filtered(forest, isMatch)), [forest, isMatch, q]);
  return (
    <>
      <div className={settings.filters}>
        <SearchField label={t("search")} q={q} onChange={onSearch} />
        <SegmentedControl
          className={styles.switch}
          aria-label={t("view")}
          data={[
            { value: "tree", label: t(isWide ? "both" : "tree.short") },
            { value: "flow", label: t("flow.short") },
          ]}
          value={isFlow ? "flow" : "tree"}
          onChange={(value) => onView(value === "flow")}
        />
      </div>
      <div className={styles.views} data-both={(isWide && !isFlow) || undefined}>
        {!isFlow && (
          <div className={styles.view}>
            {shown.length === 0 ? (
              <Nothing text={t("noneFound", { q })} />
            ) : (
              <StepTree
                forest={shown}
                steps={steps}
                isSearch={q !== ""}
                current={current}
                onOpen={onOpen}
                onAdd={onAdd}
              />
            )}
            <p className={styles.hint}>{t("tree.keys")}</p>
          </div>
        )}
        {(isWide || isFlow) && <Flow steps={steps} current={current} isMatch={isMatch} onOpen={onOpen} />}
      </div>
    </>
  );
}
