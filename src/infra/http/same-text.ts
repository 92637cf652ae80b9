import { hash, timingSafeEqual } from "node:crypto";

/** Compares in constant time. */
export const sameText = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => hash("sha256", text, "buffer");
