import { Button, Table } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import styles from "./table.module.css";

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** The value to sort by: texts alphabetically, numbers by size, null last. */
  readonly value: (row: Row) => string | number | null;
  /** Formats the value. Without this function, the value is shown unchanged. */
  readonly shown?: (row: Row) => ReactNode;
}

interface Sorting {
  /** The id of the column to sort by, as in `sorted`. A `-` before it reverses the order. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string | number;
  /** Without `sorting`, the rows keep their order. */
  readonly sorting?: Sorting;
}

const rowsAtFirst = 25;

export const columnOf = <Each extends { readonly id: string }>(
  columns: readonly Each[],
  sort: string,
): Each | undefined => columns.find(({ id }) => id === sort.replace(/^-/, ""));

/** The sort order from the URL if it names one of the columns, otherwise `first`. */
export const knownSort = (columns: readonly { readonly id: string }[], sort: string | undefined, first: string) =>
  sort !== undefined && columnOf(columns, sort) ? sort : first;

/** Sorts numbers from high to low and texts from A to Z. A `-` at the start of `sort` reverses this. Nulls are last. */
export function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string): readonly Row[] {
  const column = columnOf(columns, sort);
  if (!column) return rows;
  const sign = sort.startsWith("-") ? 1 : -1;
  return [...rows].sort((a, b) => {
    const [one, other] = [column.value(a), column.value(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return typeof one === "string" ? -sign * one.localeCompare(String(other)) : sign * (one - Number(other));
  });
}

/** Shows the first rows, and all rows after a click on the button. A click on a column's title sorts the rows. */
export function FiguresTable<Row>({ label, columns, rows, keyOf, sorting }: TableProps<Row>) {
  const { t } = useTranslation("reports");
  const [isWhole, setIsWhole] = useState(false);
  const inOrder = sorting ? sorted(rows, columns, sorting.sort) : rows;
  const shown = isWhole ? inOrder : inOrder.slice(0, rowsAtFirst);
  return (
    <div className={styles.whole}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={label}>
        <Table className={styles.table} aria-label={label} highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Head key={column.id} column={column} isNumber={isNumber(column, rows)} {...(sorting && { sorting })} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row, index) => (
              <Table.Tr key={keyOf(row, index)}>
                {columns.map((column, place) => {
                  const content = column.shown ? column.shown(row) : column.value(row);
                  return place === 0 ? (
                    <Table.Th key={column.id} scope="row" className={styles.name}>
                      {content}
                    </Table.Th>
                  ) : (
                    <Table.Td key={column.id} data-number={isNumber(column, rows)}>
                      {content}
                    </Table.Td>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {rows.length > rowsAtFirst && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? t("table.less") : t("table.all", { count: rows.length })}
        </Button>
      )}
    </div>
  );
}

const isNumber = <Row,>({ value }: Column<Row>, [row]: readonly Row[]): boolean =>
  row !== undefined && typeof value(row) !== "string";

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly isNumber: boolean;
  readonly sorting?: Sorting;
}

function Head<Row>({ column: { id, title }, isNumber, sorting }: HeadProps<Row>) {
  if (!sorting) {
    return (
      <Table.Th scope="col" data-number={isNumber}>
        {title}
      </Table.Th>
    );
  }
  const isDown = sorting.sort === id;
  const isUp = sorting.sort === `-${id}`;
  // Without `-`, numbers are in descending order, but texts are in ascending order (A to Z).
  const order = isDown === isNumber ? "descending" : "ascending";
  return (
    <Table.Th scope="col" data-number={isNumber} aria-sort={isDown || isUp ? order : "none"}>
      <button type="button" className={styles.sort} onClick={() => sorting.onSort(isDown ? `-${id}` : id)}>
        {title}
        <span aria-hidden="true" className={styles.arrow}>
          {(isDown || isUp) && (order === "descending" ? "↓" : "↑")}
        </span>
      </button>
    </Table.Th>
  );
}
