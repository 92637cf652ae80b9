import type { AppKeys } from "../../application/ports.ts";
import type { KeyAccess } from "../../domain/access.ts";
import { type AccessChanges, RememberedAccess, type RememberedSettings } from "./remembered-access.ts";

/** Remembers for a few seconds what keys open. */
export class CachedAppKeys implements AppKeys {
  private readonly remembered: RememberedAccess<KeyAccess>;

  constructor(keys: AppKeys, changes: AccessChanges, settings?: RememberedSettings) {
    this.remembered = new RememberedAccess((key) => keys.accessOf(key), changes, settings);
  }

  accessOf(key: string): Promise<KeyAccess | null> {
    return this.remembered.of(key);
  }
}
