import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import settings from "../settings/settings.module.css";
import type { paths } from "../shared/api.ts";
import { oneOf } from "../shared/search-params.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./audit.module.css";
import { Difference, type Kept } from "./audit-difference.tsx";
import { type AuditSearch, resources } from "./audit-search.ts";
import { useAllUsers } from "./people.ts";
import { useShowAudit } from "./use-show-audit.ts";

type Entry = paths["/admin/audit"]["get"]["responses"][200]["content"]["application/json"]["data"][number];

interface EntryProps {
  readonly entry: Entry;
  readonly search: AuditSearch;
}

export function AuditEntry({ entry, search }: EntryProps) {
  const { t } = useTranslation("people");
  const clock = useClock();
  const show = useShowAudit();
  const [isOpen, setOpen] = useState(false);
  const { id, at, actor, ip, resource, record_id, change, before, after } = entry;
  const known = oneOf(resources, resource);
  const what = known ? t(`audit.resources.${known}`) : resource;
  // The audit records an accepted invitation as removed.
  const isAccepted = resource === "user-invitations" && change === "removed";
  const subject = useSubject(entry, what);
  const who = useActor(actor);
  return (
    <li className={settings.row}>
      <div className={settings.what}>
        <p className={settings.name}>
          {t("audit.line", {
            who,
            change: t(`audit.${isAccepted ? "accepted" : change}`),
            what: subject,
          })}
        </p>
        <p className={settings.detail}>
          {clock.moment(at)} · {ip}
        </p>
      </div>
      <div className={settings.actions}>
        {known && search.record !== record_id && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => show({ ...search, resource: known, record: record_id })}
          >
            {t("audit.onlyThis")}
          </Button>
        )}
        <Button
          variant="default"
          size="compact-sm"
          aria-expanded={isOpen}
          aria-controls={`entry-${id}`}
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? "audit.hide" : "audit.details")}
        </Button>
      </div>
      {isOpen && (
        <div id={`entry-${id}`} className={styles.difference}>
          <Difference before={before} after={after} />
        </div>
      )}
    </li>
  );
}

/** Resources with only one record per business. Their entries need no name or id of the record. */
const single: readonly string[] = ["business", "flags"];

/**
 * What was changed: the resource with the record's name, or else with its id. Entries of sessions, invitations and
 * passwords show the user's current name.
 */
function useSubject({ resource, record_id, before, after }: Entry, what: string): string {
  const { t } = useTranslation();
  const { data: users } = useAllUsers();
  const user = /^users?\b/.test(resource) && users?.find(({ id }) => id === record_id)?.nombre;
  const name = nameIn(after) ?? nameIn(before) ?? (user || undefined);
  if (name) return `${what} ${t("quoted", { text: name })}`;
  return single.includes(resource) ? what : `${what} ${record_id}`;
}

function useActor({ type, id, nombre }: Entry["actor"]): string {
  const { t } = useTranslation("people");
  if (type === "system") return t("audit.system");
  if (type === "key") return t("audit.key", { name: nombre ?? id });
  return nombre ?? t("audit.user", { id });
}

function nameIn(kept: Kept): string | undefined {
  const name = kept?.nombre ?? kept?.name ?? kept?.label ?? kept?.url;
  return typeof name === "string" && name !== "" ? name : undefined;
}
