import type { RealtimeUser, Subject, SubjectAudience, View, Visibility } from "../../../infra/realtime/visibility.ts";
import type { BusinessEvent, LoggedEvent } from "../../../kernel/events.ts";
import type { Audience } from "../../application/events.ts";
import type { LiveViews } from "../../application/reading/ports.ts";
import { queueOf } from "../../domain/visibility.ts";
import { inboxEvents } from "./inbox-events.ts";

/** The queues that a client's user sees; null for all. */
interface SeenQueues extends View {
  readonly queues: ReadonlySet<number> | null;
}

/** Logged by the database when a user's view may change: by their role, their departments or the flag `agents_see`. */
const viewChanged = "view:changed";

/** Clients get an event of a chat only if their user may see the chat. They get every event that concerns no chat. */
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
