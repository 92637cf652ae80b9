import { type CSSVariablesResolver, createTheme, Menu, MenuDropdown, Portal } from "@mantine/core";
import type { KeyboardEvent } from "react";
import { layers } from "./layers.ts";

/**
 * Moves the focus to the menu. The timer lets the library first store the button that has the focus: that button gets
 * the focus back when the menu closes.
 */
const focusMenu = (menu: HTMLDivElement | null): void => {
  if (menu) setTimeout(() => menu.focus({ preventScroll: true }));
};

const keepTab = (event: KeyboardEvent<HTMLDivElement>): void => {
  if (event.key === "Tab") event.preventDefault();
};

/** Makes the list itself scroll, because the keyboard does not reach the library's scroll area. */
const list = {
  defaultProps: { withScrollArea: false },
  styles: { options: { maxHeight: 280, overflowY: "auto" as const } },
};

export const theme = createTheme({
  primaryColor: "brand",
  primaryShade: 7,
  colors: {
    dark: [
      "#e8edf0",
      "#c3ccd2",
      "#98a2ab",
      "#6f7a83",
      "#36414a",
      "#242c31",
      "#1d2429",
      "#171c20",
      "#12171a",
      "#0d1113",
    ],
    brand: [
      "#f0fdfa",
      "#ccfbf1",
      "#99f6e4",
      "#5eead4",
      "#2dd4bf",
      "#14b8a6",
      "#0d9488",
      "#0f766e",
      "#115e59",
      "#134e4a",
    ],
  },
  defaultRadius: "md",
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // A menu may contain only its items, so the library's extra element for the first focus is left out. The menu
    // itself has the focus until an arrow key chooses an item.
    Menu: Menu.extend({
      defaultProps: { trapFocus: false, withInitialFocusPlaceholder: false },
      styles: { itemLabel: { minWidth: 0, overflowWrap: "anywhere" } },
    }),
    MenuDropdown: MenuDropdown.extend({
      defaultProps: { ref: focusMenu, onKeyDown: keepTab, maw: "min(340px, 100vw - 24px)" },
    }),
    Select: list,
    MultiSelect: list,
    Portal: Portal.extend({ defaultProps: { target: layers } }),
  },
});

/** Text colors of outlined badges and buttons. They are readable on every surface of app.css. */
const outlined = {
  light: { gray: "#566069", red: "#b42318", yellow: "#8a5a00" },
  dark: { gray: "#a9b1ba", red: "#ff9a8f", yellow: "#ffd43b" },
};

const danger = { "--mantine-color-red-filled": "#c92a2a", "--mantine-color-red-filled-hover": "#a61e1e" };

const outlinedIn = (scheme: keyof typeof outlined) =>
  Object.fromEntries(
    Object.entries(outlined[scheme]).map(([name, color]) => [`--mantine-color-${name}-outline`, color]),
  );

/** Replaces colors of the library, mostly where small text is too faint: greys, yellow on white, white on red. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#566069",
    "--mantine-color-placeholder": "#66707a",
    "--mantine-color-yellow-light-color": "#6b4600",
    "--mantine-color-error": "#c92a2a",
    "--mantine-color-brand-light": "var(--surface-high)",
    "--mantine-color-brand-light-hover": "#d6ede8",
    ...outlinedIn("light"),
    ...danger,
  },
  dark: {
    "--mantine-color-dimmed": "#a9b1ba",
    "--mantine-color-placeholder": "#98a2ab",
    "--mantine-color-error": "#ff9a8f",
    "--mantine-color-brand-light": "var(--surface-high)",
    "--mantine-color-brand-light-hover": "#1c423d",
    ...outlinedIn("dark"),
    ...danger,
  },
});
