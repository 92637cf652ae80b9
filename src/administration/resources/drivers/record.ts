export interface Driver {
  readonly name: string;
  readonly phone: string | null;
  /** By which the tracking integration knows the driver. */
  readonly trackingId: string | null;
}
