/** The first element that does not fit the schema. */
export interface WrongElement {
  readonly keyword: string;
  /** A path such as `/3/name`. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The invalid name, if a field's name is wrong. */
  readonly propertyName?: string;
}

/** Checks elements; `first` is the index of the first one. */
export type CheckElements = (elements: readonly unknown[], first: number) => WrongElement | undefined;

/** A large array of a body. Each iteration reads its elements again from the spool. */
export class StreamedArray<Element> {
  constructor(
    readonly length: number,
    readonly wrong: WrongElement | undefined,
    /** The batches must be read before the request is answered, since the spool is closed then. */
    readonly batches: () => AsyncIterable<readonly Element[]>,
  ) {}
}
