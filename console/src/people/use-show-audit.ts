import { useNavigate } from "@tanstack/react-router";
import { said } from "../shared/search-params.ts";
import type { AuditSearch } from "./audit-search.ts";

/** Opens the audit with the given filters. All other filters are removed. */
export function useShowAudit() {
  const navigate = useNavigate();
  return (search: { readonly [Key in keyof AuditSearch]: AuditSearch[Key] | undefined }): void =>
    void navigate({ to: "/settings/audit", search: said<AuditSearch>(search), replace: true });
}
