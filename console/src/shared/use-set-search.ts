import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { said } from "./search-params.ts";

/** Changes search parameters and replaces the history entry, so that Back leaves the screen. */
export function useSetSearch<Search extends object>() {
  const navigate = useNavigate();
  return useCallback(
    (changes: { readonly [Name in keyof Search]?: Search[Name] | undefined }): void =>
      void navigate({ to: ".", search: (before: object) => said<object>({ ...before, ...changes }), replace: true }),
    [navigate],
  );
}
