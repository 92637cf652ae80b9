import { ActionIcon, Menu } from "@mantine/core";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { openOutbox } from "../inbox/outbox.ts";
import { useShortcuts } from "../inbox/use-shortcuts.ts";
import { onAlertOpened } from "../live/alerts.ts";
import { connectLive } from "../live/socket.ts";
import type { Me } from "../shared/api.ts";
import { Icon } from "../shared/icons.tsx";
import styles from "./frame.module.css";
import { OwnSwitches, PreferenceItems, ShortcutsItem, useShortcutsDialog } from "./own-switches.tsx";
import { PageTitle } from "./page-title.tsx";
import { signOut, useMe } from "./session.ts";
import { StateLine } from "./state-line.tsx";

const places = ["inbox", "orders", "campaigns", "contacts", "reports", "settings"] as const;
const forAdministrators: ReadonlySet<string> = new Set(["campaigns", "settings"]);

/** Leaves out the screens that the user's role may not use. The service refuses the requests of these screens, too. */
function placesOf({ administrador, flags }: Me): readonly (typeof places)[number][] {
  if (administrador) return places;
  const hidesReports = flags.reports_for === "administrators";
  return places.filter((place) => !forAdministrators.has(place) && !(place === "reports" && hidesReports));
}

export function Frame() {
  const { t } = useTranslation();
  const me = useMe();
  const { pathname } = useLocation();
  const place = places.find((each) => pathname.split("/").includes(each));
  const screen = place ? t(`nav.${place}`) : pathname.includes("/account") ? t("nav.ownAccount") : null;
  const isForOthers = place !== undefined && !placesOf(me).includes(place);
  const navigate = useNavigate();
  useEffect(connectLive, []);
  useEffect(
    () => onAlertOpened((id) => void navigate({ to: "/inbox/$chat", params: { chat: String(id) } })),
    [navigate],
  );
  useEffect(() => openOutbox(me.id), [me.id]);

  return (
    <div className={styles.frame}>
      <a href="#content" className={styles.skip}>
        {t("nav.skip")}
      </a>
      <header className={styles.side}>
        <div className={styles.brand}>
          <img src="/console/icon.svg" alt="" width={32} height={32} />
          <span className={styles.wide}>{me.empresa.nombre}</span>
        </div>
        <nav aria-label={t("nav.main")} className={styles.navigation}>
          {placesOf(me).map((place) => (
            <Link key={place} to={`/${place}`} className={styles.place} activeProps={{ "data-active": true }}>
              <Icon name={place} size={22} />
              <span className={styles.label}>{t(`nav.${place}`)}</span>
            </Link>
          ))}
        </nav>
        <StateLine />
        <Account me={me} />
      </header>
      <main id="content" tabIndex={-1} className={styles.main}>
        <PageTitle screen={screen} />
        <div className={styles.screen}>{isForOthers ? <NotAllowed /> : <Outlet />}</div>
      </main>
    </div>
  );
}

/** Shown at the address of a screen that the role may not use. */
function NotAllowed() {
  const { t } = useTranslation();
  return (
    <p role="alert" className={styles.notAllowed}>
      {t("nav.notAllowed")}
    </p>
  );
}

function Account({ me }: { readonly me: Me }) {
  const { t } = useTranslation();
  const shortcuts = useShortcutsDialog();
  useShortcuts({ "?": shortcuts.open });
  return (
    <div className={styles.account}>
      <Menu position="top-start" withinPortal shadow="md" width={310}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={40}
            radius="xl"
            aria-label={t("nav.account", { name: me.nombre })}
            title={me.nombre}
          >
            <span aria-hidden="true" className={styles.initial}>
              {me.nombre.charAt(0)}
            </span>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{me.nombre}</Menu.Label>
          <PreferenceItems />
          <OwnSwitches me={me} />
          <Menu.Item
            renderRoot={(props) => <Link to="/account" {...props} />}
            leftSection={<Icon name="contacts" size={18} />}
          >
            {t("nav.ownAccount")}
          </Menu.Item>
          <ShortcutsItem onOpen={shortcuts.open} />
          <Menu.Item leftSection={<Icon name="exit" size={18} />} onClick={() => void signOut()}>
            {t("nav.signOut")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <span className={styles.wide}>{me.nombre}</span>
      {shortcuts.dialog}
    </div>
  );
}
