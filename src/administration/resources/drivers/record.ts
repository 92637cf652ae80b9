export interface Driver {
  readonly name: string;
  readonly phone: string | null;
  /** The driver's id in the tracking integration. */
  readonly trackingId: string | null;
}
