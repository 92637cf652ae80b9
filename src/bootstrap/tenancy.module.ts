import { ContainerModule } from "inversify";
import { newToken } from "../infra/crypto/secrets.ts";
import { limitAttempts } from "../infra/http/middleware/rate-limit.ts";
import { tick } from "../infra/jobs/clock.ts";
import type { Notifications } from "../infra/postgres/notifications.ts";
import { authenticators } from "../tenancy/adapters/http/authenticators.ts";
import { closeSessionRoute, openSessionRoute } from "../tenancy/adapters/http/session.routes.ts";
import { type AccessChanges, CachedAppKeys, CachedSessions } from "../tenancy/adapters/memory/cached-access.ts";
import { PostgresAppKeys } from "../tenancy/adapters/postgres/app-keys.ts";
import { PostgresBusinesses } from "../tenancy/adapters/postgres/businesses.ts";
import { PostgresSessions } from "../tenancy/adapters/postgres/sessions.ts";
import { FoundBusiness, IssueAppKey, OpenSession } from "../tenancy/public.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

export const tenancyModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.appKeyStore, [tokens.cells, tokens.secrets], ({ directory }, secrets) => {
    return new PostgresAppKeys(directory, (key) => secrets.digest(key));
  });
  provide(
    bind,
    tokens.knownSessions,
    [tokens.sessions, tokens.notifications],
    (sessions, notifications) => new CachedSessions(sessions, accessChangesOf(notifications)),
  );
  provide(bind, tokens.sessions, [tokens.cells, tokens.secrets], ({ directory }, secrets) => {
    return new PostgresSessions(directory, (token) => secrets.digest(token));
  });
  provide(bind, tokens.failedAttempts, [tokens.config], ({ http }) => {
    return limitAttempts({ points: http.failedAttemptsPerMinute, perSeconds: 60 });
  });
  provide(
    bind,
    tokens.authenticators,
    [tokens.appKeyStore, tokens.notifications, tokens.knownSessions, tokens.failedAttempts],
    (keys, notifications, sessions, attempts) =>
      authenticators(new CachedAppKeys(keys, accessChangesOf(notifications)), sessions, attempts),
  );
  provide(
    bind,
    tokens.openSession,
    [tokens.sessions, tokens.passwords, tokens.config],
    (sessions, passwords, { sessions: { hours } }) => new OpenSession(sessions, sessions, passwords, newToken, hours),
  );
  provide(bind, tokens.foundBusiness, [tokens.cells, tokens.passwords], (cells, passwords) => {
    return new FoundBusiness(new PostgresBusinesses(cells), (password) => passwords.hash(password), newToken);
  });
  provide(bind, tokens.issueAppKey, [tokens.appKeyStore], (store) => new IssueAppKey(store, newToken));
  provide(bind, tokens.tick, [tokens.sessions], (sessions) => tick("sessions.purge", 3600, () => sessions.purge()));
  provide(
    bind,
    tokens.routes,
    [tokens.openSession, tokens.knownSessions, tokens.failedAttempts],
    (openSession, sessions, attempts) => [openSessionRoute(openSession, attempts), closeSessionRoute(sessions)],
  );
});

const accessChangesOf = (notifications: Notifications): AccessChanges => ({
  get live() {
    return notifications.live;
  },
  onChange: (hear) => notifications.on("access_changed", (businessId) => hear(Number(businessId))),
  onGap: (hear) => notifications.onGap(hear),
});
