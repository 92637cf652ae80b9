import type { Random } from "./random.ts";

export interface DemoPlace {
  readonly latitude: number;
  readonly longitude: number;
}

/** A place within some two kilometres. */
export const nearby = ({ latitude, longitude }: DemoPlace, random: Random): DemoPlace => ({
  latitude: around(latitude, random),
  longitude: around(longitude, random),
});

const around = (degrees: number, random: Random): number =>
  Math.round((degrees + (random.next() - 0.5) / 25) * 1e6) / 1e6;
