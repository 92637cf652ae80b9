import "./texts.ts";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Panel } from "../shared/panel.tsx";
import { ContactForm } from "./contact-form.tsx";
import { useLeaving } from "./leave-dialog.tsx";

export function NewContact() {
  const { t } = useTranslation("contacts");
  const navigate = useNavigate();
  const [isDirty, setDirty] = useState(false);
  const close = (): void => void navigate({ to: "/contacts", search: (search: object) => search });
  const { leave, question } = useLeaving(isDirty, close);
  return (
    <Panel onClose={leave} title={t("new")}>
      <ContactForm
        read={null}
        onDirty={setDirty}
        onCancel={leave}
        onDone={({ id }) =>
          void navigate({
            to: "/contacts/$contact",
            params: { contact: String(id) },
            search: (search: object) => search,
            replace: true,
          })
        }
      />
      {question}
    </Panel>
  );
}
