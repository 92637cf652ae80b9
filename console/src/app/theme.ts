import { type CSSVariablesResolver, createTheme } from "@mantine/core";

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
});

/** The library's own greys are too faint for small text. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: { "--mantine-color-dimmed": "#566069", "--mantine-color-placeholder": "#66707a" },
  dark: { "--mantine-color-dimmed": "#a9b1ba", "--mantine-color-placeholder": "#98a2ab" },
});
