import { Alert, Loader, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import type { Audience } from "./audience.ts";
import styles from "./campaigns.module.css";
import { checkCampaign, type NewCampaign, type Preview } from "./campaigns.ts";
import type { Draft } from "./draft.ts";

type Revision = NonNullable<Preview["revision"]>;
type Problem = keyof Revision["problemas"];

const problems = [
  "opted_out",
  "empty_parameter",
  "line_break_in_parameter",
  "wrong_number",
  "missing_parameters",
  "text_too_long",
] as const satisfies readonly Problem[];

export interface Check {
  /** Null until all recipients are checked. */
  readonly found: Preview | null;
  readonly isPending: boolean;
  readonly error: Error | null;
}

/** @param audience - null as long as there is nothing to check */
export function useCheck(
  draft: Draft,
  audience: Audience | null,
  bodyFor: (recipients: Audience["recipients"]) => NewCampaign,
): Check {
  const { data, isPending, error } = useQuery({
    // The key leaves out the body, which may have 100,000 recipients.
    queryKey: ["campaign check", audience?.key, draft.templateId, draft.sources],
    queryFn: ({ signal }) => checkCampaign(bodyFor(audience?.recipients ?? []), signal),
    enabled: audience !== null,
    staleTime: 60_000,
    retry: 1,
  });
  return { found: data ?? null, isPending: audience !== null && isPending, error };
}

/** Whether the user must confirm the start. */
export const hasWarnings = ({ found, error }: Check): boolean =>
  error !== null || (found !== null && warningsOf(found).length > 0);

type Warning = "problems" | "noneLeft" | "dailyLimit" | "quality_RED" | "quality_YELLOW" | "notApproved";

function warningsOf({ revision, state, total }: Preview): Warning[] {
  if (!revision) return [];
  const { con_problemas, limite_diario, calidad } = revision;
  return [
    ...(state === "APPROVED" ? [] : (["notApproved"] as const)),
    ...(con_problemas > 0 ? ([con_problemas < total ? "problems" : "noneLeft"] as const) : []),
    ...(limite_diario !== null && limite_diario < total ? (["dailyLimit"] as const) : []),
    ...(calidad === "RED" || calidad === "YELLOW" ? ([`quality_${calidad}`] as const) : []),
  ];
}

/** Shows the warnings about the campaign, or says that there are none. */
export function Verdict({ check }: { readonly check: Check }) {
  const { t } = useTranslation("campaigns");
  const { found, isPending, error } = check;
  if (isPending) {
    return (
      <Text role="status" c="dimmed">
        <Loader size={14} aria-hidden="true" /> {t("checking")}
      </Text>
    );
  }
  if (!hasWarnings(check)) return found && <Text role="status">{t("checked")}</Text>;
  return (
    <Alert color="yellow" variant="outline" role="status" title={t("warning.title")}>
      {error && (error instanceof Refused ? error.message : t("warning.unchecked"))}
      {found && <Warnings found={found} />}
    </Alert>
  );
}

function Warnings({ found }: { readonly found: Preview }) {
  const { t, i18n } = useTranslation("campaigns");
  const { revision, total } = found;
  if (!revision) return null;
  const written = (count: number): string => count.toLocaleString(i18n.language);
  const figures = {
    count: revision.con_problemas,
    total,
    limit: revision.limite_diario ?? 0,
  };
  return (
    <ul className={styles.warnings}>
      {warningsOf(found).map((warning) => (
        <li key={warning}>
          {t(`warning.${warning}`, figures)}
          {(warning === "problems" || warning === "noneLeft") && (
            <ul className={styles.warnings}>
              {problems
                .filter((problem) => revision.problemas[problem] > 0)
                .map((problem) => (
                  <li key={problem}>{t(`problemCount.${problem}`, { n: written(revision.problemas[problem]) })}</li>
                ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  );
}
