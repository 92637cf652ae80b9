import type { ReactNode } from "react";

const paths = {
  inbox: "M4 4h16v16H4zM4 13h4l1.5 3h5L16 13h4",
  orders: "M6 8h12l1 12H5zM9 8V6a3 3 0 0 1 6 0v2",
  campaigns: "M4 10v4l11 4V6zM15 9a3 3 0 0 1 0 6M7 15v4h3",
  contacts: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c1-4 4-6 8-6s7 2 8 6",
  reports: "M4 20h16M7 16v-5M12 16V5M17 16V9",
  settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4 4",
  back: "M15 5l-7 7 7 7",
  send: "M4 12l16-7-6 15-3-6z",
  note: "M5 4h14v11l-5 5H5zM14 20v-5h5",
  reply: "M9 6l-5 5 5 5M4 11h9c4 0 6 2 7 7",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 13l4 4L19 7",
  checks: "M2 13l4 4L15 7M11 16l1 1L22 7",
  clock: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 8v4l3 2",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.5",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  place: "M12 21c-5-5-7-8-7-11a7 7 0 0 1 14 0c0 3-2 6-7 11zM12 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  hand: "M12 20c-4 0-6-3-7-7l2-1 2 3V6h2v5V4h2v7V5h2v7V7h2v7c0 4-2 6-5 6z",
  assign: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 19c.5-3.5 3-5 6-5 1.5 0 2.8.4 3.8 1M15 17h6M18 14l3 3-3 3",
  done: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8 12l3 3 5-6",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M19 5l-1.5 1.5M6.5 17.5L5 19",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  exit: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
  chat: "M5 5h14v11H11l-4 4v-4H5z",
  plus: "M12 5v14M5 12h14",
  move: "M4 7h11M12 4l3 3-3 3M20 17H9M12 14l-3 3 3 3",
  print: "M7 9V4h10v5M7 17H4v-8h16v8h-3M7 14h10v6H7z",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  play: "M8 5.5v13l11-6.5z",
  pause: "M8 5v14M16 5v14",
  voice: "M12 15a3 3 0 0 0 3-3V7a3 3 0 0 0-6 0v5a3 3 0 0 0 3 3zM6 12a6 6 0 0 0 12 0M12 18v3",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  upload: "M12 15V4M7 9l5-5 5 5M5 20h14",
  outside: "M10 5H5v14h14v-5M14 5h5v5M19 5l-8 8",
  withdrawn: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM6 6l12 12",
  copy: "M9 9h10v11H9zM6 15H5V4h10v2",
  forward: "M9 5l7 7-7 7",
  down: "M12 5v14M6 13l6 6 6-6",
  attach: "M19 11l-7.5 7.5a4.5 4.5 0 0 1-6.4-6.4L13 4.5a3 3 0 0 1 4.3 4.3L9.5 16.5a1.5 1.5 0 0 1-2.1-2.1L14.5 7.5",
  emoji: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.5 14.5c1 1.4 2.2 2 3.5 2s2.5-.6 3.5-2M9 9.5v.5M15 9.5v.5",
  template: "M5 4h14v16H5zM8 8h8M8 12h8M8 16h4",
  quick: "M13 3L5 14h6l-1 7 8-11h-6z",
  again: "M19 12a7 7 0 1 1-2-5l2 2M19 4v5h-5",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 10a1 1 0 1 0 0-2 1 1 0 0 0 0 2z",
  filter: "M4 6h16M7 12h10M10 18h4",
  details: "M4 5h16v14H4zM14 5v14",
  edit: "M5 19l1-4L16 5l3 3L9 18zM14 7l3 3",
  bell: "M6 16v-5a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5h4",
  keyboard: "M3 7h18v10H3zM7 10.5v.2M11 10.5v.2M15 10.5v.2M8 14h8",
  minus: "M5 12h14",
  whole: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
} as const;

export type IconName = keyof typeof paths;

/** Screen readers skip icons, so a control with an icon needs a text or a label. */
export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      style={{ flex: "none" }}
    >
      <path d={paths[name]} />
    </svg>
  );
}
