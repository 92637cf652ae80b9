export type Scheme = "light" | "dark";

interface Colors {
  readonly series: readonly string[];
  readonly text: string;
  readonly ink: string;
  readonly line: string;
  readonly surface: string;
  readonly hover: string;
}

/** Colors for the chart library, which cannot use CSS variables. Bars have a contrast of 3:1 or more to `surface`. */
export const colorsOf = (scheme: Scheme): Colors => colors[scheme];

const colors: Readonly<Record<Scheme, Colors>> = {
  light: {
    series: ["#0f766e", "#b8690b"],
    text: "#566069",
    ink: "#1a2126",
    line: "#dfe4e7",
    surface: "#ffffff",
    hover: "rgba(15, 118, 110, 0.08)",
  },
  dark: {
    series: ["#2dd4bf", "#f0b354"],
    text: "#a9b1ba",
    ink: "#e8edf0",
    line: "#2b343a",
    surface: "#20282d",
    hover: "rgba(94, 234, 212, 0.09)",
  },
};
