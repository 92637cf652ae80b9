import type { MediaRegister, MediaStorage, NamedFiles } from "./ports.ts";

/**
 * Deletes a file's content, then its entry in the register. While the entry exists, the sweep can try again.
 *
 * @param onFailure - called if the file could not be deleted
 * @returns true if the file was deleted
 */
export async function removeFile(
  { storage, register }: { readonly storage: MediaStorage; readonly register: Pick<MediaRegister, "forget"> },
  { businessId, name }: { readonly businessId: number; readonly name: string },
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  try {
    await storage.remove(name);
    await register.forget(businessId, name);
    return true;
  } catch (error) {
    onFailure(error);
    return false;
  }
}

/** Deletes withdrawn files. Tries all of them, then rejects if one could not be deleted. */
export async function removeWithdrawn(
  storage: MediaStorage | null,
  register: Pick<MediaRegister, "forget">,
  { businessId, names }: NamedFiles,
): Promise<void> {
  if (!storage) return;
  const failures: unknown[] = [];
  for (const name of names) {
    await removeFile({ storage, register }, { businessId, name }, (error) => void failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} files could not be removed`);
}
