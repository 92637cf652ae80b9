/** Whether two JSON values are equal. The order of their fields does not matter. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  const names = Object.keys(one);
  if (Array.isArray(one) !== Array.isArray(other) || names.length !== Object.keys(other).length) return false;
  return names.every(
    (name) =>
      Object.hasOwn(other, name) && isSameJson(one[name as keyof typeof one], other[name as keyof typeof other]),
  );
}
