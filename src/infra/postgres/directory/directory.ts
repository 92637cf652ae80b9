import type { Cell } from "../database.ts";
import { DirectoryNames } from "./directory-names.ts";
import { type LocationSettings, Locations } from "./locations.ts";

/** Tables of the first cell that all cells share: the cell of each business, and the names that lead to businesses. */
export class Directory {
  readonly locations: Locations;
  readonly names: DirectoryNames;

  /** @param table - the first cell, on connections that only the directory uses */
  constructor(table: Cell, settings: LocationSettings, onError: (error: unknown) => void) {
    this.locations = new Locations(table, settings, onError);
    this.names = new DirectoryNames(table, settings.first, this.locations, onError);
  }
}
