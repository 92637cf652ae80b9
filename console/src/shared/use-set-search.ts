import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { said } from "./search-params.ts";

/** Changes parts of the address's search. Going back then leads to the screen before, not through every filter. */
export function useSetSearch<Search extends object>() {
  const navigate = useNavigate();
  return useCallback(
    (changes: { readonly [Name in keyof Search]?: Search[Name] | undefined }): void =>
      void navigate({ to: ".", search: (before: object) => said<object>({ ...before, ...changes }), replace: true }),
    [navigate],
  );
}
