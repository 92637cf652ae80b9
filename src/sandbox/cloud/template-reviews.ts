import { BadInput, integer, oneOf, optional, shape, text } from "../core/input.ts";
import type { Webhooks } from "../core/webhooks.ts";
import { type Accounts, accountEvent, type Business } from "./accounts.ts";
import type { StoredTemplate } from "./templates.ts";

const events = [
  ...(["APPROVED", "REJECTED", "PENDING", "PAUSED", "DISABLED", "IN_APPEAL", "REINSTATED", "FLAGGED"] as const),
  ...(["PENDING_DELETION", "LIMIT_EXCEEDED"] as const),
] as const;

const readReview = shape({
  outcome: optional(oneOf("APPROVED", "REJECTED", "PENDING")),
  reason: optional(text(200)),
  delay_ms: optional(integer(0, 3_600_000)),
});

const readChange = shape({
  event: optional(oneOf(...events)),
  reason: optional(text(200)),
  category: optional(oneOf("MARKETING", "UTILITY", "AUTHENTICATION")),
  language: optional(text(20)),
  account: optional(text(100)),
});

interface Review {
  /** PENDING means that no review takes place. */
  readonly outcome: "APPROVED" | "REJECTED" | "PENDING";
  readonly reason: string | undefined;
  readonly delayMs: number;
}

/** Changes templates as the platform's reviews do, and reports each change by webhook. */
export class TemplateReviews {
  private current: Review;
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly accounts: Accounts,
    private readonly webhooks: Webhooks,
    private readonly delayMs: number,
  ) {
    this.current = { outcome: "APPROVED", reason: undefined, delayMs };
  }

  /** Sets how templates that are created or changed from now on are reviewed. */
  behave(input: unknown): object {
    const { outcome = "APPROVED", reason, delay_ms: delayMs = this.delayMs } = readReview(input, "body");
    this.current = { outcome, reason, delayMs };
    return { outcome, reason, delay_ms: delayMs };
  }

  /** Schedules the review of a new or changed template. */
  add(business: Business, { name, language }: StoredTemplate): void {
    const { outcome, reason, delayMs } = this.current;
    if (outcome === "PENDING") return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      const template = business.templates.find(name, language);
      if (template?.status === "PENDING") this.move(business, template, outcome, reason);
    }, delayMs);
    this.timers.add(timer);
  }

  /** Changes all templates with this name. The input can limit the change to a language, an account or both. */
  change(name: string, input: unknown): object {
    const { event, reason, category, language, account } = readChange(input, "body");
    const found = [...this.accounts.businesses.values()]
      .filter(({ accountId }) => account === undefined || accountId === account)
      .flatMap((business) => business.templates.named(name).map((template) => ({ business, template })))
      .filter(({ template }) => language === undefined || template.language === language);
    if (found.length === 0) throw new BadInput(`there is no template ${name}`);
    for (const { business, template } of found) {
      if (event) this.move(business, template, event, reason);
      if (category) this.recategorize(business, template, category);
    }
    return { changed: found.length };
  }

  reset(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.current = { outcome: "APPROVED", reason: undefined, delayMs: this.delayMs };
  }

  private move(business: Business, template: StoredTemplate, event: string, reason: string | undefined): void {
    const status = event === "REINSTATED" ? "APPROVED" : event === "FLAGGED" ? template.status : event;
    business.templates.change(template, { status, rejectedReason: status === "REJECTED" ? reason : undefined });
    this.deliver(business, template, "message_template_status_update", { event, reason: reason ?? "NONE" });
  }

  private recategorize(business: Business, template: StoredTemplate, category: string): void {
    business.templates.change(template, { category });
    const change = { previous_category: template.category, new_category: category };
    this.deliver(business, template, "template_category_update", change);
  }

  private deliver({ accountId }: Business, { id, name, language }: StoredTemplate, field: string, value: object): void {
    const whole = {
      ...{ message_template_id: Number(id), message_template_name: name, message_template_language: language },
      ...value,
    };
    void this.webhooks.deliver(this.webhooks.signed("cloud", accountEvent(accountId, field, whole)));
  }
}
