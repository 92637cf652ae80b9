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

/** A large array of a body. Each call of `batches` reads the elements from the spool again. */
export class StreamedArray<Element> {
  constructor(
    readonly length: number,
    readonly wrong: WrongElement | undefined,
    /** The batches must be read before the handler ends, since the spool is closed after the handler. */
    readonly batches: () => AsyncIterable<readonly Element[]>,
  ) {}
}
