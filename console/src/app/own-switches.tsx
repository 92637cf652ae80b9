import "../inbox/inbox-texts.ts";
import { Menu, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { switchAlerts, useAlertState } from "../live/alerts.ts";
import { answered, api, type Me } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import { loadPart } from "../shared/load-part.ts";
import { meKey, queryClient } from "../shared/query.ts";
import { type Language, languages, switchLanguage } from "./i18n.ts";
import styles from "./own-switches.module.css";

const ShortcutsDialog = lazy(() => loadPart(() => import("../inbox/shortcuts-dialog.tsx")));

interface SwitchProps {
  readonly isOn: boolean;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly isDisabled?: boolean;
  readonly onChange: (on: boolean) => void;
}

function SwitchItem({ isOn, label, hint, isDisabled = false, onChange }: SwitchProps) {
  return (
    <Menu.Item
      renderRoot={(props) => <button type="button" {...props} role="menuitemcheckbox" aria-checked={isOn} />}
      disabled={isDisabled}
      closeMenuOnClick={false}
      onClick={() => onChange(!isOn)}
      rightSection={<span className={styles.switch} data-on={isOn} />}
    >
      {label}
      {hint && <span className={styles.hint}>{hint}</span>}
    </Menu.Item>
  );
}

/** The languages and the color scheme as menu items, since arrow keys reach nothing else in a menu. */
export function PreferenceItems() {
  const { t, i18n } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light") === "dark";
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers style a fieldset. */}
      <div role="group" aria-label={t("nav.language")} className={styles.languages}>
        {(Object.keys(languages) as Language[]).map((language) => (
          <Menu.Item
            key={language}
            renderRoot={(props) => (
              <button
                type="button"
                lang={language}
                {...props}
                role="menuitemradio"
                aria-checked={i18n.language === language}
              />
            )}
            closeMenuOnClick={false}
            className={styles.language ?? ""}
            onClick={() => switchLanguage(language)}
          >
            {languages[language]}
          </Menu.Item>
        ))}
      </div>
      <SwitchItem isOn={isDark} label={t("nav.dark")} onChange={(on) => setColorScheme(on ? "dark" : "light")} />
    </>
  );
}

/** Settings of the user: whether chats are assigned to this user, and whether the browser shows notifications. */
export function OwnSwitches({ me }: { readonly me: Me }) {
  const { t } = useTranslation("inbox");
  const { t: tCommon } = useTranslation();
  const alerts = useAlertState();
  const available = useMutation({
    mutationFn: (disponible: boolean) => answered(api.PUT("/me/available", { body: { disponible } })),
    onSuccess: (own) => queryClient.setQueryData(meKey, own),
  });
  return (
    <>
      {!me.administrador && (
        <SwitchItem
          isOn={available.isPending ? available.variables : me.disponible}
          label={t("available")}
          hint={available.isError ? tCommon("chat.failed") : undefined}
          onChange={(on) => available.mutate(on)}
        />
      )}
      <SwitchItem
        isOn={alerts === "on"}
        label={t("alerts")}
        hint={alerts === "denied" ? t("alertsDenied") : undefined}
        isDisabled={alerts === "denied"}
        onChange={(on) => void switchAlerts(on)}
      />
    </>
  );
}

export function ShortcutsItem({ onOpen }: { readonly onOpen: () => void }) {
  const { t } = useTranslation("inbox");
  return (
    <Menu.Item leftSection={<Icon name="keyboard" size={18} />} onClick={onOpen}>
      {t("shortcuts")}
    </Menu.Item>
  );
}

/** `open` opens the dialog of shortcuts. `dialog` is the dialog to render, or false while the dialog is closed. */
export function useShortcutsDialog() {
  const [isOpen, setOpen] = useState(false);
  const dialog = isOpen && (
    <Suspense>
      <ShortcutsDialog onClose={() => setOpen(false)} />
    </Suspense>
  );
  return { open: () => setOpen(true), dialog };
}
