interface PlatformWebhook {
  readonly path: string;
  /** The fields that the app must subscribe to, because the service reads them. */
  readonly fields: readonly string[];
}

/** The webhooks of the channels that share an app at the platform. */
export const platformWebhooks = {
  "platform-apicloud": {
    path: "/webhooks/cloud",
    fields: [
      ...["messages", "user_preferences", "smb_message_echoes"],
      ...["message_template_status_update", "template_category_update"],
      ...["phone_number_quality_update", "account_update"],
    ],
  },
  "platform-page": {
    path: "/webhooks/page",
    fields: [
      ...["messages", "messaging_postbacks", "message_echoes", "message_edits", "message_reactions"],
      ...["message_deliveries", "message_reads", "messaging_referrals"],
    ],
  },
  // Photo accounts need no field for echoes: `messages` includes what the business writes in the platform's app.
  "platform-photo": {
    path: "/webhooks/photo",
    fields: [
      ...["messages", "messaging_postbacks", "message_edit", "message_reactions"],
      ...["messaging_seen", "messaging_referral"],
    ],
  },
} as const satisfies Readonly<Record<string, PlatformWebhook>>;
