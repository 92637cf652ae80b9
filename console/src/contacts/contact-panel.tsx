import "./texts.ts";
import { Alert, Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "../shared/api.ts";
import { useLeaving } from "../shared/leaving.tsx";
import { Panel } from "../shared/panel.tsx";
import { ContactForm } from "./contact-form.tsx";
import { ContactView } from "./contact-view.tsx";
import { contactKey, fetchContact, nameOf } from "./contacts.ts";

export function ContactPanel() {
  const { contact } = useParams({ from: "/contacts/$contact" });
  return <OneContact key={contact} id={Number(contact)} />;
}

const isUnknown = (error: unknown): boolean => error instanceof Refused && [400, 404].includes(error.status);

function OneContact({ id }: { readonly id: number }) {
  const { t } = useTranslation("contacts");
  const navigate = useNavigate();
  const { data, isPending, error, refetch } = useQuery({
    queryKey: contactKey(id),
    queryFn: () => fetchContact(id),
    staleTime: 0,
  });
  const [isEditing, setEditing] = useState(false);
  const close = (): void => void navigate({ to: "/contacts", search: (search: object) => search });
  const { setDirty, question } = useLeaving(false);
  const endEditing = (): void => {
    setEditing(false);
    setDirty(false);
  };
  return (
    <Panel onClose={close} title={data ? nameOf(data.contact) : t("contact")}>
      {isPending && [56, 120, 200].map((height) => <Skeleton key={height} height={height} mb="md" radius="md" />)}
      {error && !data && isUnknown(error) && <Text role="alert">{t("notFound")}</Text>}
      {error && !data && !isUnknown(error) && (
        <Alert color="red" variant="outline" role="alert">
          <p>{t("loadFailed")}</p>
          <Button size="xs" mt="xs" variant="default" onClick={() => void refetch()}>
            {t("again")}
          </Button>
        </Alert>
      )}
      {data && !isEditing && <ContactView contact={data.contact} onEdit={() => setEditing(true)} onErased={close} />}
      {data && isEditing && <ContactForm read={data} onDirty={setDirty} onDone={endEditing} onCancel={endEditing} />}
      {question}
    </Panel>
  );
}
