import { Select } from "@mantine/core";

interface IdFilterProps {
  readonly label: string;
  readonly clearLabel: string;
  readonly records: readonly { readonly id: number; readonly nombre: string }[];
  readonly chosen: number | undefined;
  readonly onChange: (id: number | undefined) => void;
  /** Said where no record has what is typed. */
  readonly noneFound?: string;
  readonly className?: string | undefined;
}

const mostShown = 100;

/** Keeps a list to what belongs to one record. */
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
