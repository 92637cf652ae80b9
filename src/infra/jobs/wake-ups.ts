import { BaseNotificationChannel, type JobNotification, toJobId } from "agenda";
import type pg from "pg";
import type { Log } from "../../kernel/log.ts";
import { Notifications } from "../postgres/notifications.ts";

const channel = "recado_clock";

/**
 * Tells the other processes over NOTIFY that a time was changed, so that they need not find it by polling. What
 * is missed while the connection is away is found by polling.
 *
 * Not the library's channel: that one needs a LISTEN connection to send as well, fails to start without one, and
 * loses a connection of its pool for each attempt to listen that breaks half-way.
 */
export class WakeUps extends BaseNotificationChannel {
  private readonly notifications: Notifications;

  constructor(
    private readonly pool: pg.Pool,
    url: string,
    log: Log,
  ) {
    super();
    this.notifications = new Notifications(url, channel, log);
    this.notifications.onNotification((name) => this.hear(name));
    this.setState("connected");
  }

  async connect(): Promise<void> {
    await this.notifications.start();
  }

  async disconnect(): Promise<void> {
    this.setState("disconnected");
    this.handlers.clear();
    await this.notifications.close();
  }

  async publish({ jobName }: JobNotification): Promise<void> {
    await this.pool.query("select pg_notify($1, $2)", [channel, jobName]);
  }

  private hear(jobName: string): void {
    const now = new Date();
    void this.notifyHandlers({ jobId: toJobId(""), jobName, nextRunAt: now, priority: 0, timestamp: now });
  }
}
