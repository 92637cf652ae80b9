import { SearchBox } from "../shared/search-box.tsx";
import styles from "./settings.module.css";

interface SearchFieldProps {
  readonly label: string;
  readonly q: string;
  readonly onChange: (q: string) => void;
}

export const SearchField = ({ label, q, onChange }: SearchFieldProps) => (
  <SearchBox label={label} q={q} onSearch={onChange} className={styles.search} />
);
