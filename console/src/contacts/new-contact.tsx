import "./texts.ts";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useLeaving } from "../shared/leaving.tsx";
import { Panel } from "../shared/panel.tsx";
import { ContactForm } from "./contact-form.tsx";

export function NewContact() {
  const { t } = useTranslation("contacts");
  const navigate = useNavigate();
  const close = (): void => void navigate({ to: "/contacts", search: (search: object) => search });
  const { setDirty, release, question } = useLeaving(false);
  return (
    <Panel onClose={close} title={t("new")}>
      <ContactForm
        read={null}
        onDirty={setDirty}
        onCancel={close}
        onDone={({ id }) => {
          release();
          void navigate({
            to: "/contacts/$contact",
            params: { contact: String(id) },
            search: (search: object) => search,
            replace: true,
          });
        }}
      />
      {question}
    </Panel>
  );
}
