import { useEffect } from "react";

/** For what is taken away as soon as it is closed: the focus goes back to where it was when it was opened. */
export function useReturnFocus(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      // After the dialog has let go of the focus; what was typed into meanwhile keeps it.
      setTimeout(() => {
        const isFree = document.activeElement === null || document.activeElement === document.body;
        if (isFree && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
      });
    };
  }, []);
}
