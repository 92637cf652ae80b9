/** The first element of an array that is not as its schema says. */
export interface WrongElement {
  /** Of the schema, that the element fails. */
  readonly keyword: string;
  /** Where in the array: `/3/name`. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The name of a field, where that is what is wrong. */
  readonly propertyName?: string;
}

/** Looks at some elements of an array; `first` is the index of the first of them. */
export type CheckElements = (elements: readonly unknown[], first: number) => WrongElement | undefined;

/** An array of a request's body. Each reading takes its elements from the spool again, a batch at a time. */
export class StreamedArray<Element> {
  constructor(
    readonly length: number,
    readonly wrong: WrongElement | undefined,
    /** In their order, few enough for one piece of work. To be asked for before the request is answered. */
    readonly batches: () => AsyncIterable<readonly Element[]>,
  ) {}
}
