import { Select } from "@mantine/core";

interface IdFilterProps {
  readonly label: string;
  readonly clearLabel: string;
  readonly records: readonly { readonly id: number; readonly nombre: string }[];
  readonly chosen: number | undefined;
  readonly onChange: (id: number | undefined) => void;
  /** The message if no record matches the entered text. */
  readonly noneFound?: string;
  readonly className?: string | undefined;
}

const mostShown = 100;

/** Filters a list by one record, such as a branch or an agent. */
export const IdFilter = ({ label, clearLabel, records, chosen, onChange, noneFound, className }: IdFilterProps) => (
  <Select
    clearable
    searchable
    limit={mostShown}
    aria-label={label}
    placeholder={label}
    data={records.map(({ id, nombre }) => ({ value: String(id), label: nombre }))}
    value={chosen === undefined ? null : String(chosen)}
    onChange={(value) => onChange(value === null ? undefined : Number(value))}
    nothingFoundMessage={noneFound}
    clearButtonProps={{ "aria-label": clearLabel }}
    className={className}
  />
);
