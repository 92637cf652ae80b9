import type { RealtimeUser, Subject, SubjectAudience, View, Visibility } from "../../../infra/realtime/visibility.ts";
import type { BusinessEvent, LoggedEvent } from "../../../kernel/events.ts";
import type { Audience } from "../../application/events.ts";
import type { LiveViews } from "../../application/live-views.ts";
import { queueOf } from "../../domain/visibility.ts";
import { inboxEvents } from "./inbox-events.ts";

/** What a client hears by the queues that its user sees: null for all of them. */
interface SeenQueues extends View {
  readonly queues: ReadonlySet<number> | null;
}

/** The database logs it where the role or the departments of a user change, or the business's flag. */
const viewChanged = "view:changed";

/** Agents hear of the chats that they may see; of everything else each client hears. */
export class ChatVisibility implements Visibility {
  readonly everything: SeenQueues = { key: "all", queues: null };

  constructor(private readonly live: LiveViews) {}

  async users(businessId: number, userIds: readonly number[]): Promise<ReadonlyMap<number, RealtimeUser>> {
    const users = await this.live.users(businessId, userIds);
    return new Map(
      [...users].map(([id, { name, queues }]) => [
        id,
        { name, view: queues ? { key: queues.join(), queues: new Set(queues) } : this.everything },
      ]),
    );
  }

  viewChangedBy({ name, payload }: LoggedEvent): number | "all" | null {
    if (name !== viewChanged) return null;
    return (payload as { userId: number | null }).userId ?? "all";
  }

  subjectOf({ name, payload }: LoggedEvent): Subject | null {
    const { chatId, audience, was } = payload as { chatId?: unknown; audience?: Audience; was?: Audience | null };
    if (!Object.hasOwn(inboxEvents, name) || typeof chatId !== "number") return null;
    return { id: chatId, audience: audience ?? null, was: was ?? null };
  }

  mayHear(view: View, audience: SubjectAudience | null): boolean {
    const { queues } = view as SeenQueues;
    return queues === null || (audience !== null && queues.has(queueOf(audience as Audience)));
  }

  audiences(businessId: number, chatIds: readonly number[]): Promise<ReadonlyMap<number, Audience>> {
    return this.live.audiences(businessId, chatIds);
  }

  gone({ id }: Subject): BusinessEvent {
    return { name: "chat:gone", payload: { chatId: id } };
  }
}
