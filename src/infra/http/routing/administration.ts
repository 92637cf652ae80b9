/** Settings of all routes below `/admin`. */
export const administration = {
  tag: "Administration",
  auth: "key-or-session",
  forAdministrators: true,
  scope: "admin",
} as const;
