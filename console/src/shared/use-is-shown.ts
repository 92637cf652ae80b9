import { useEffect, useRef } from "react";

/** Returns a function that tells whether the component is still shown. Call the function when an answer arrives. */
export function useIsShown(): () => boolean {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return () => isShown.current;
}
