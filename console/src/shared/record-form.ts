import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "./api.ts";

/** A record's fields as they were read, at this version. */
export interface Read<Fields> {
  readonly fields: Fields;
  /** Null for a record that is not made yet. */
  readonly version: number | null;
}

export interface IfMatch {
  readonly "If-Match"?: string;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** What is edited here, on top of what others saved meanwhile. A field that both changed keeps the value from here. */
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
  readonly onSaved: (saved: Saved) => void;
}

/** A form of one record. Where the record moved on meanwhile, both changes are joined, and saving is asked for once more. */
export function useRecordForm<Fields extends object, Saved>(start: Read<Fields>, sides: Sides<Fields, Saved>) {
  const [base, setBase] = useState(start);
  const [fields, setFields] = useState(start.fields);
  /** Fields that both sides changed; null while nothing was joined. */
  const [clashes, setClashes] = useState<readonly (keyof Fields)[] | null>(null);
  const [round, setRound] = useState(0);
  const startFrom = (now: Read<Fields>, shown: Fields, both: readonly (keyof Fields)[] | null): void => {
    setBase(now);
    setFields(shown);
    setClashes(both);
    setRound((before) => before + 1);
  };
  const saving = useMutation({
    mutationFn: async (given: Fields) => {
      try {
        return await sides.save(given, base.version === null ? {} : { "If-Match": `"${base.version}"` });
      } catch (error) {
        if (!(error instanceof Refused && error.status === 412)) throw error;
        const theirs = await sides.readAgain();
        const joined = merged(base.fields, given, theirs.fields);
        startFrom(theirs, joined.fields, joined.clashes);
        return null;
      }
    },
    onSuccess: (saved) => {
      if (saved !== null) sides.onSaved(saved);
    },
  });
  return {
    fields,
    set: (change: Partial<Fields>) => setFields((before) => ({ ...before, ...change })),
    /** Goes on from what is stored now. */
    reset: (now: Read<Fields>) => startFrom(now, now.fields, null),
    /** Another one each time that the fields came from the service: the key of a control with a state of its own. */
    round,
    isChanged: !isSame(fields, base.fields),
    clashes,
    save: () => saving.mutate(fields),
    isSaving: saving.isPending,
    error: saving.error,
  };
}
