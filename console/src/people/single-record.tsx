import "./texts.ts";
import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Failure, Loading, Page } from "../settings/page.tsx";
import type { Place } from "../settings/places.ts";
import { useLeaving } from "../shared/leaving.tsx";
import { meKey, queryClient } from "../shared/query.ts";
import { type IfMatch, type Read, useRecordForm } from "../shared/record-form.ts";

/** The requests for a record that each business has exactly once. */
interface Source<Stored, Fields extends object> {
  readonly place: Place;
  readonly read: () => Promise<Stored>;
  readonly save: (fields: Fields, header: IfMatch) => Promise<Stored>;
  readonly readOf: (stored: Stored) => Read<Fields>;
}

interface PageProps<Stored, Fields extends object> {
  readonly source: Source<Stored, Fields>;
  readonly form: ComponentType<{ readonly form: SingleForm<Fields> }>;
}

export type SingleForm<Fields extends object> = ReturnType<typeof useSingleForm<unknown, Fields>>;

/** A settings page with the form of a record that the business has exactly once. */
export function SingleRecordPage<Stored, Fields extends object>({ source, form }: PageProps<Stored, Fields>) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["admin", source.place],
    queryFn: source.read,
    // A form must start from fresh data.
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Page place={source.place}>
      {isPending && <Loading />}
      <Failure error={error} again={() => void refetch()} />
      {data && <Started source={source} start={source.readOf(data)} form={form} />}
    </Page>
  );
}

function Started<Stored, Fields extends object>(props: PageProps<Stored, Fields> & { readonly start: Read<Fields> }) {
  const { source, start, form: Form } = props;
  const single = useSingleForm(source, start);
  const { question } = useLeaving(single.isChanged);
  return (
    <>
      <Form form={single} />
      {question}
    </>
  );
}

function useSingleForm<Stored, Fields extends object>(source: Source<Stored, Fields>, start: Read<Fields>) {
  const [isSaved, setSaved] = useState(false);
  const form = useRecordForm<Fields, Stored>(start, {
    save: source.save,
    readAgain: async () => source.readOf(await source.read()),
    // `/me` contains some of these fields, so it is loaded again.
    refresh: () => void queryClient.invalidateQueries({ queryKey: meKey }),
    onSaved: (saved, sent) => {
      form.reset(source.readOf(saved), sent);
      setSaved(true);
    },
  });
  const set = (change: Partial<Fields>): void => {
    setSaved(false);
    form.set(change);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    form.save();
  };
  return { ...form, set, submit, isSaved: isSaved && !form.isChanged };
}

interface FootProps {
  readonly form: Pick<SingleForm<object>, "isSaved" | "isSaving" | "isUploading" | "isChanged" | "error">;
  readonly isValid?: boolean;
  readonly className?: string | undefined;
}

/** The save button with the result of the last save. */
export function SaveFoot({
  form: { isSaved, isSaving, isUploading, isChanged, error },
  isValid = true,
  className,
}: FootProps) {
  const { t } = useTranslation("people");
  return (
    <>
      <Failure error={error} />
      <Group justify="flex-end" className={className}>
        {isSaved && <span role="status">{t("saved")}</span>}
        <Button type="submit" loading={isSaving} disabled={!isChanged || isUploading || !isValid}>
          {t("save")}
        </Button>
      </Group>
    </>
  );
}
