import { useEffect } from "react";

/** When the component is removed, gives the focus back to the element that had it before. */
export function useReturnFocus(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // Waits until the component has released the focus. If another element has the focus by then, it keeps the focus.
      setTimeout(() => {
        const isFree = document.activeElement === null || document.activeElement === document.body;
        if (isFree && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
      });
    };
  }, []);
}
