import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Refused } from "./api.ts";
import { useIsShown } from "./use-is-shown.ts";

/** A record's fields with the version at which they were read. */
export interface Read<Fields> {
  readonly fields: Fields;
  /** Null for a new record. */
  readonly version: number | null;
}

export interface IfMatch {
  readonly "If-Match"?: string;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Merges the user's changes with the changes that others saved since `base` was read. The user's values win. `clashes`
 * are the fields that both changed to different values.
 */
export function merged<Fields extends object>(base: Fields, mine: Fields, theirs: Fields) {
  const names = Object.keys(mine) as (keyof Fields)[];
  const changedHere = names.filter((name) => !isSame(mine[name], base[name]));
  const kept = Object.fromEntries(changedHere.map((name) => [name, mine[name]]));
  const clashes = changedHere.filter((name) => !isSame(theirs[name], base[name]) && !isSame(theirs[name], mine[name]));
  return { fields: { ...theirs, ...kept } as Fields, clashes };
}

interface Sides<Fields, Saved> {
  readonly save: (fields: Fields, header: IfMatch) => Promise<Saved>;
  readonly readAgain: () => Promise<Read<Fields>>;
  /** Reloads other data in which the record appears. Also called if the form was removed during the save. */
  readonly refresh: () => void;
  /**
   * Called after a save, unless the form was removed during the save.
   *
   * @param sent - the fields that were saved; the user may have changed more since
   */
  readonly onSaved: (saved: Saved, sent: Fields) => void;
}

/**
 * The form of a record. If another user saved first, the form merges the changes, and the user must save again. A form
 * that closes after a save must be `Frozen` during the save.
 */
export function useRecordForm<Fields extends object, Saved>(start: Read<Fields>, sides: Sides<Fields, Saved>) {
  const [base, setBase] = useState(start);
  const [fields, setFields] = useState(start.fields);
  /** The fields that both users changed to different values; null if nothing was merged. */
  const [clashes, setClashes] = useState<readonly (keyof Fields)[] | null>(null);
  const [round, setRound] = useState(0);
  const [uploads, setUploads] = useState(0);
  const isUploading = uploads > 0;
  /** The fields as the user sees them now. This is a ref, so that a save that began earlier reads the newest values. */
  const latest = useRef(start.fields);
  const show = (now: Fields): void => {
    latest.current = now;
    setFields(now);
  };
  /** Starts again from `now` and shows the fields `shown`. What the user changed since `sent` stays. */
  const startFrom = (now: Read<Fields>, shown: Fields, sent: Fields, both: readonly (keyof Fields)[] | null): void => {
    // A new round takes the focus from the field in which the user is typing. So without a merge, a new round begins
    // only if the user has changed nothing since `sent`.
    if (both !== null || isSame(latest.current, sent)) setRound((before) => before + 1);
    setBase(now);
    show(merged(sent, latest.current, shown).fields);
    setClashes(both);
  };
  // This is a ref, since a state would change only with the next render. The second click of a double click may come
  // before that.
  const isUnderWay = useRef(false);
  const isShown = useIsShown();
  const saveAt = (version: number | null, given: Fields): Promise<Saved> =>
    sides.save(given, version === null ? {} : { "If-Match": `"${version}"` });
  const saving = useMutation({
    mutationFn: async (given: Fields) => {
      try {
        return await saveAt(base.version, given);
      } catch (error) {
        if (!(error instanceof Refused && error.status === 412)) throw error;
        const theirs = await sides.readAgain();
        const joined = merged(base.fields, given, theirs.fields);
        // The user's changes are stored already, usually by a save whose answer was lost. A new save gets the answer.
        if (isSame(joined.fields, theirs.fields)) return await saveAt(theirs.version, joined.fields);
        startFrom(theirs, joined.fields, given, joined.clashes);
        return null;
      }
    },
    onSuccess: (saved, sent) => {
      if (saved === null) return;
      sides.refresh();
      if (isShown()) sides.onSaved(saved, sent);
    },
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  return {
    fields,
    set: (change: Partial<Fields>): void => show({ ...latest.current, ...change }),
    /** Starts again from the stored values. What the user changed since `sent` stays. */
    reset: (now: Read<Fields>, sent: Fields = latest.current) => startFrom(now, now.fields, sent, null),
    /** Controls that keep their own state need `round` as their key. `startFrom` decides when `round` changes. */
    round,
    /** Whether a file is being uploaded for a field. The form cannot be saved meanwhile. */
    isUploading,
    onUploading: (isUnderWay: boolean) => setUploads((before) => before + (isUnderWay ? 1 : -1)),
    isChanged: isUploading || !isSame(fields, base.fields),
    clashes,
    save: () => {
      if (isUnderWay.current || isUploading) return;
      isUnderWay.current = true;
      saving.mutate(latest.current);
    },
    isSaving: saving.isPending,
    error: saving.error,
  };
}
