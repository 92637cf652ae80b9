import { Badge } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Contact } from "../shared/api.ts";
import { Initials } from "../shared/initials.tsx";
import { shownPhone } from "../shared/phone.ts";
import { useClock } from "../shared/use-clock.ts";
import styles from "./contacts.module.css";
import { latestChats, nameOf } from "./contacts.ts";

const rowHeight = 60;
const phoneRowHeight = 76;
/** The next page is loaded when this many rows are left. */
const pageAhead = 30;
const mostTagsShown = 2;

interface RowsProps {
  readonly contacts: readonly Contact[];
  /** Whether the rows belong to the previous filters, while the rows for the new filters are loading. */
  readonly isOld: boolean;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
}

export function ContactRows({ contacts, isOld, hasMore, onEnd }: RowsProps) {
  const { t } = useTranslation("contacts");
  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery("(max-width: 719px)", false, { getInitialValueInEffect: false });
  const height = isPhone ? phoneRowHeight : rowHeight;
  const virtualizer = useVirtualizer({
    count: contacts.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => contacts[index]?.id ?? index,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of height makes the cached sizes wrong.
  useEffect(() => virtualizer.measure(), [height]);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= contacts.length - pageAhead) onEnd();
  });
  return (
    <div className={styles.frame} data-old={isOld}>
      <div aria-hidden="true" className={styles.columns}>
        <span>{t("column.name")}</span>
        <span>{t("column.number")}</span>
        <span>{t("column.tags")}</span>
        <span>{t("column.last")}</span>
      </div>
      <div ref={scroller} className={styles.scroller}>
        {/* biome-ignore lint/a11y/useSemanticElements: the browser would measure list items that are not there. */}
        <div role="list" aria-label={t("list")} style={{ height: virtualizer.getTotalSize(), position: "relative" }}>
          {items.map(({ index, start, key }) => {
            const contact = contacts[index];
            if (!contact) return null;
            const count = hasMore ? -1 : contacts.length;
            return <Row key={key} contact={contact} place={{ top: start, height }} index={index + 1} count={count} />;
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  readonly contact: Contact;
  readonly place: CSSProperties;
  readonly index: number;
  /** The number of contacts in the list, or -1 until the number is known. */
  readonly count: number;
}

function Row({ contact, place, index, count }: RowProps) {
  const { t } = useTranslation("contacts");
  const clock = useClock();
  const name = nameOf(contact);
  const at = latestChats(contact)[0]?.ultimo_mensaje ?? null;
  const more = contact.tags.length - mostTagsShown;
  const number = shownPhone(contact.numero);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the list says how many there are.
    <div role="listitem" aria-posinset={index} aria-setsize={count} className={styles.row} style={place}>
      <div className={styles.who}>
        <Initials name={name} size={36} />
        <Link
          to="/contacts/$contact"
          params={{ contact: String(contact.id) }}
          search={(search: object) => search}
          className={styles.name}
        >
          {name}
        </Link>
      </div>
      <span className={styles.number}>{name === number ? "" : number}</span>
      <div className={styles.tags}>
        {contact.opted_out && <span className={styles.out}>{t("optedOut")}</span>}
        {contact.tags.slice(0, mostTagsShown).map((tag) => (
          <Badge key={tag.id} variant="default" size="sm" tt="none" fw={500} className={styles.tag}>
            {tag.nombre}
          </Badge>
        ))}
        {more > 0 && <span className={styles.more}>+{more}</span>}
      </div>
      <span className={styles.last}>{at === null ? "" : clock.brief(at)}</span>
    </div>
  );
}
