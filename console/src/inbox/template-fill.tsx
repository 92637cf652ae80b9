import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import type { Chat } from "../shared/api.ts";
import { FileButton } from "../shared/file-button.tsx";
import { Icon } from "../shared/icons.tsx";
import { FileTray, useTray } from "./attached.ts";
import { type ChannelLimits, useChannelLimits } from "./channel-limits.ts";
import { channelNames } from "./channels.ts";
import { ComposerFiles } from "./composer-files.tsx";
import type { OutgoingContent } from "./outgoing.ts";
import styles from "./template-dialog.module.css";
import { renderedBody, type Template } from "./templates.ts";

interface FillProps {
  readonly chat: Chat;
  readonly template: Template;
  readonly onSend: (content: OutgoingContent) => void;
  readonly onBack: () => void;
}

/** The chat id under which the header's file is kept. It is negative, so that no chat's composer uses this tray. */
const trayOf = (chatId: number): number => -chatId;

/** Fields for the placeholders and the header's file, beside a preview. */
export function TemplateFill({ chat, template, onSend, onBack }: FillProps) {
  const { t } = useTranslation("thread");
  const { id: userId } = useMe();
  const limits = useChannelLimits({ provider: template.channel ?? chat.provider });
  const [values, setValues] = useState<readonly string[]>(() =>
    template.variables.map((name, index) => (index === 0 && looksLikeName(name, template) ? firstName(chat) : "")),
  );
  const tray = useMemo(() => new FileTray(userId, trayOf(chat.chat_id)), [userId, chat.chat_id]);
  const [file] = useTray(tray).files;
  useEffect(() => {
    // The tray may still have the file of another template, if the page was closed while that template was open.
    tray.take();
    return () => void tray.take();
  }, [tray]);
  const needsFile = template.headerMedia !== null && !template.hasOwnFile;
  const isReady = values.every((value) => value.trim() !== "") && (file ? file.url !== null : !needsFile);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady) return;
    const text = renderedBody(template, values);
    const stored = file?.url ? { url: file.url, name: file.name, type: file.type, bytes: file.bytes } : null;
    onSend({
      kind: "template",
      text,
      templateId: template.id,
      parameters: values.map((value) => value.trim()),
      file: stored,
    });
  };
  return (
    <form className={styles.fill} onSubmit={submit}>
      <div className={styles.fields}>
        {template.variables.map((name, index) => (
          <TextInput
            key={name}
            {...(index === 0 && { "data-autofocus": true })}
            label={/^\d+$/.test(name) ? t("templates.variable", { n: name }) : name}
            value={values[index] ?? ""}
            maxLength={1_024}
            required
            onChange={(event) => {
              const { value } = event.currentTarget;
              setValues(values.map((old, place) => (place === index ? value : old)));
            }}
          />
        ))}
        {template.headerMedia && (
          <HeaderFile kind={template.headerMedia} tray={tray} limits={limits} isRequired={needsFile} />
        )}
      </div>
      <div className={styles.preview}>
        <p className={styles.label}>{t("templates.preview")}</p>
        <Preview template={template} values={values} picture={file?.preview ?? null} />
      </div>
      <div className={styles.actions}>
        <Button variant="default" onClick={onBack}>
          {t("templates.back")}
        </Button>
        <Button type="submit" disabled={!isReady} leftSection={<Icon name="send" size={18} />}>
          {t("templates.send")}
        </Button>
      </div>
    </form>
  );
}

const firstName = ({ contacto }: Chat): string => contacto.nombre.split(" ")[0] ?? "";

/** Whether the first parameter is probably the customer's name, as in `Hola {{1}}`. */
const looksLikeName = (name: string, { body }: Template): boolean =>
  /^(nombre|name|cliente)$/i.test(name) || /^\S{0,12}\s*¡?hola\s+\{\{\s*1\s*\}\}/i.test(body);

interface HeaderFileProps {
  readonly kind: NonNullable<Template["headerMedia"]>;
  readonly tray: FileTray;
  readonly limits: ChannelLimits;
  readonly isRequired: boolean;
}

const typesOf = {
  image: "image/png,image/jpeg",
  video: "video/mp4,video/3gpp",
  document: ".pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.txt",
};

function HeaderFile({ kind, tray, limits, isRequired }: HeaderFileProps) {
  const { t } = useTranslation("thread");
  const { files } = useTray(tray);
  const choose = (file: File): void => {
    for (const { id } of files) tray.remove(id);
    void tray.add([file], limits);
  };
  return (
    <div>
      <p className={styles.label}>
        {t("templates.header")}
        {isRequired && " *"}
      </p>
      <FileButton accept={typesOf[kind]} onChoose={choose}>
        {(props) => (
          <Button {...props} variant="default" size="sm" mb={8} leftSection={<Icon name="attach" size={18} />}>
            {t(files.length > 0 ? "templates.change" : "templates.choose")}
          </Button>
        )}
      </FileButton>
      <ComposerFiles tray={tray} channel={channelNames[limits.provider]} />
    </div>
  );
}

interface PreviewProps {
  readonly template: Template;
  readonly values: readonly string[];
  readonly picture: string | null;
}

/** The template as the customer will see it. */
function Preview({ template, values, picture }: PreviewProps) {
  const { header, headerMedia, footer, buttons } = template;
  return (
    <div className={styles.paper}>
      <div className={styles.bubble}>
        {headerMedia && (
          <div className={styles.media}>
            {picture ? (
              <img src={picture} alt="" />
            ) : (
              <Icon name={headerMedia === "document" ? "file" : "picture"} size={32} />
            )}
          </div>
        )}
        {header && <p className={styles.heading}>{header}</p>}
        <p className={styles.body} aria-live="polite">
          {renderedBody(template, values)}
        </p>
        {footer && <p className={styles.footer}>{footer}</p>}
      </div>
      {buttons.filter(Boolean).map((label) => (
        <p key={label} className={styles.button}>
          {label}
        </p>
      ))}
    </div>
  );
}
