import { useQuery } from "@tanstack/react-query";
import { allPages } from "../shared/all-pages.ts";
import { answered, api, type paths } from "../shared/api.ts";
import { queryClient } from "../shared/query.ts";
import type { IfMatch } from "../shared/record-form.ts";

export type Step = paths["/admin/steps/{id}"]["get"]["responses"][200]["content"]["application/json"];
export type StepBody = NonNullable<paths["/admin/steps"]["post"]["requestBody"]>["content"]["application/json"];
export type StepType = Step["tipo"];

export const stepTypes = [
  ...["ticket", "mensaje", "pregunta", "botones", "opciones", "media", "catalogo", "ubicacion", "sucursal"],
  ...["pedido", "pago", "flow", "ia", "fin"],
] as readonly StepType[];

/** `allPages` loads at most this many steps. */
export const mostSteps = 2_000;

export const useAllSteps = () =>
  useQuery({
    queryKey: ["admin", "steps", "all"],
    queryFn: ({ signal }) => allPages((query) => answered(api.GET("/admin/steps", { params: { query }, signal }))),
    // Another user may have changed the steps.
    staleTime: 0,
  });

export const useAllTags = () =>
  useQuery({
    queryKey: ["admin", "tags", "all"],
    queryFn: ({ signal }) => allPages((query) => answered(api.GET("/admin/tags", { params: { query }, signal }))),
  });

export const readStep = (id: number) => answered(api.GET("/admin/steps/{id}", { params: { path: { id } } }));

export const saveStep = (id: number | null, body: StepBody, header: IfMatch) =>
  id === null
    ? answered(api.POST("/admin/steps", { body }))
    : answered(api.PUT("/admin/steps/{id}", { params: { path: { id }, header }, body }));

export const archiveStep = (id: number) => api.DELETE("/admin/steps/{id}", { params: { path: { id } } });

export const stepsChanged = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ["admin", "steps"] });
