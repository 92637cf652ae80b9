import { type ReactNode, useLayoutEffect, useRef } from "react";

interface FrozenProps {
  readonly when: boolean;
  readonly children: ReactNode;
}

/**
 * Fields that take no input while `when` is true. Forms that close after a save use it, since input during the save
 * would be lost.
 */
export function Frozen({ when, children }: FrozenProps) {
  const focused = useRef<Element | null>(null);
  // `inert` takes the focus away. After a failed save, the user goes on in the same field.
  useLayoutEffect(() => {
    if (when) {
      focused.current = document.activeElement;
      return;
    }
    const before = focused.current;
    focused.current = null;
    if (before instanceof HTMLElement && document.activeElement === document.body)
      before.focus({ preventScroll: true });
  }, [when]);
  return (
    <div inert={when} style={{ display: "contents" }}>
      {children}
    </div>
  );
}
