import styles from "./chat-side.module.css";
import { showFailure } from "./refusals.ts";

export function Failure({ error }: { readonly error: Error | null }) {
  if (!error) return null;
  return (
    <p role="alert" className={styles.failure}>
      {showFailure(error)}
    </p>
  );
}
