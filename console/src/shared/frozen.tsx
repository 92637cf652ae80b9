import { type ReactNode, useLayoutEffect, useRef } from "react";

interface FrozenProps {
  readonly when: boolean;
  readonly children: ReactNode;
}

/**
 * The fields take no input while `when` is true. For forms that close after a save, since input during the save would
 * be lost.
 */
export function Frozen({ when, children }: FrozenProps) {
  const focused = useRef<Element | null>(null);
  // `inert` takes the focus from the current field. The field gets it back after a failed save.
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
