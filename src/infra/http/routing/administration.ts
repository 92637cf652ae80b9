/** What all routes below `/admin` have in common. */
export const administration = {
  tag: "Administration",
  auth: "key-or-session",
  forAdministrators: true,
  scope: "admin",
} as const;
