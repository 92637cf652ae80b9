import { ContainerModule } from "inversify";
import { newToken, type Secrets } from "../infra/crypto/secrets.ts";
import { limitFailures, limitRate } from "../infra/http/middleware/rate-limit.ts";
import { trustedProxies } from "../infra/http/trusted-proxies.ts";
import { tick } from "../infra/jobs/clock.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Queries } from "../infra/postgres/database.ts";
import type { Announcements } from "../infra/postgres/notifications.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { FairGate } from "../kernel/fair-gate.ts";
import { authenticators } from "../tenancy/adapters/http/authenticators.ts";
import { DeviceCookie } from "../tenancy/adapters/http/device-cookie.ts";
import { acceptInvitationRoute, changePasswordRoute } from "../tenancy/adapters/http/password.routes.ts";
import { closeSessionRoute, openSessionRoute } from "../tenancy/adapters/http/session.routes.ts";
import { type AccessChanges, CachedAppKeys, CachedSessions } from "../tenancy/adapters/memory/cached-access.ts";
import { RememberedSignInAttempts } from "../tenancy/adapters/memory/sign-in-attempts.ts";
import { PostgresAppKeys, PostgresKeyOwners } from "../tenancy/adapters/postgres/app-keys.ts";
import { PostgresBusinesses, PostgresBusinessNumbers } from "../tenancy/adapters/postgres/businesses.ts";
import { PostgresInvitations, PostgresPasswords } from "../tenancy/adapters/postgres/passwords.ts";
import { PostgresSessions } from "../tenancy/adapters/postgres/sessions.ts";
import {
  AcceptInvitation,
  ChangePassword,
  CreateBusiness,
  type InvitationStore,
  IssueAppKey,
  IssueSession,
  OpenSession,
  RevokeAppKeys,
} from "../tenancy/public.ts";
import { noteOn } from "./audit.ts";
import { provide } from "./provide.ts";
import { tokens } from "./tokens.ts";

/**
 * Keys and tokens that this process does not know yet, wrong ones among them. A look takes a millisecond or two. A
 * network has room for as many as it may have connections: behind one address there may be everybody.
 */
const lookUps = { name: "look-ups", width: 4, widthOfOne: 2, queueOfOne: 20_000, queue: 40_000, waitMs: 5_000 };

export const tenancyModule = new ContainerModule(({ bind }) => {
  provide(bind, tokens.appKeyStore, [tokens.cells, tokens.secrets], (cells, secrets) => {
    return new PostgresKeyOwners(cells, (key) => secrets.digest(key));
  });
  provide(bind, tokens.sessions, [tokens.cells, tokens.secrets], (cells, secrets) => {
    return new PostgresSessions(cells, (token) => secrets.digest(token));
  });
  provide(bind, tokens.lookUps, [], () => new FairGate(lookUps));
  provide(
    bind,
    tokens.knownSessions,
    [tokens.sessions, tokens.notifications, tokens.lookUps],
    (sessions, notifications, gate) => new CachedSessions(sessions, accessChangesOf(notifications), gate),
  );
  provide(bind, tokens.newFailureLimit, [tokens.config], ({ http }) => {
    return (name) => limitFailures({ name, points: http.failedAttemptsPerMinute, perSeconds: 60 });
  });
  provide(bind, tokens.limitRate, [tokens.config], ({ http }) => {
    return limitRate({ perSecond: http.requestsPerSecond, burst: http.burst });
  });
  provide(
    bind,
    tokens.knownKeys,
    [tokens.appKeyStore, tokens.notifications, tokens.lookUps],
    (keys, notifications, gate) => new CachedAppKeys(keys, accessChangesOf(notifications), gate),
  );
  provide(
    bind,
    tokens.authenticators,
    [tokens.knownKeys, tokens.knownSessions, tokens.newFailureLimit, tokens.limitRate, tokens.config],
    (keys, sessions, newFailureLimit, limitRate, { http }) =>
      authenticators({
        keys,
        sessions,
        failures: newFailureLimit("wrong credentials"),
        limitRate,
        hostOf: trustedProxies(http.trustProxy).hostOf,
      }),
  );
  provide(bind, tokens.signInAttempts, [tokens.config], ({ http }) => {
    return new RememberedSignInAttempts({ freeOfNetwork: http.failedAttemptsPerMinute });
  });
  provide(
    bind,
    tokens.openSession,
    [tokens.sessions, tokens.passwords, tokens.signInAttempts, tokens.config],
    (sessions, passwords, attempts, { sessions: { hours } }) =>
      new OpenSession(sessions, sessions, passwords, attempts, newToken, hours),
  );
  provide(bind, tokens.issueSession, [tokens.openSession, tokens.cells], (sessions, cells) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({ note: noteOn(transaction) }));
    return new IssueSession(sessions, unitOfWork);
  });
  provide(bind, tokens.createBusiness, [tokens.cells, tokens.passwords], (cells, passwords) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      businesses: new PostgresBusinesses(transaction),
      note: noteOn(transaction),
    }));
    const numbers = new PostgresBusinessNumbers(cells);
    return new CreateBusiness(numbers, unitOfWork, (password) => passwords.hash(password), newToken);
  });
  provide(bind, tokens.issueAppKey, [tokens.cells, tokens.secrets], (cells, secrets) => {
    return new IssueAppKey(keysIn(cells, secrets), newToken);
  });
  provide(bind, tokens.revokeAppKeys, [tokens.cells, tokens.secrets, tokens.appKeyStore], (cells, secrets, owners) => {
    return new RevokeAppKeys(owners, keysIn(cells, secrets));
  });
  provide(bind, tokens.tick, [tokens.sessions], (sessions) => tick("sessions.purge", 3600, () => sessions.purge()));
  provide(
    bind,
    tokens.routes,
    [tokens.openSession, tokens.knownSessions, tokens.secrets],
    (openSession, sessions, secrets) => [
      openSessionRoute(openSession, new DeviceCookie((text) => secrets.signDevice(text))),
      closeSessionRoute(sessions),
    ],
  );
  provide(
    bind,
    tokens.routes,
    [
      tokens.cells,
      tokens.secrets,
      tokens.sessions,
      tokens.passwords,
      tokens.lookUps,
      tokens.newFailureLimit,
      tokens.config,
    ],
    (cells, secrets, sessions, passwords, gate, newFailureLimit, config) => {
      const store = new PostgresInvitations(cells, (token) => secrets.digest(token));
      const invitations: InvitationStore = {
        businessOf: (token, network) => gate.pass(network, () => store.businessOf(token)),
      };
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        invitations: new PostgresPasswords(transaction, (token) => secrets.digest(token)),
        note: noteOn(transaction),
      }));
      const hash = (password: string, share: string) => passwords.hash(password, share);
      const accept = new AcceptInvitation(invitations, unitOfWork, sessions, hash, newToken, config.sessions.hours);
      return [acceptInvitationRoute(accept, newFailureLimit("wrong invitations"))];
    },
  );
  provide(
    bind,
    tokens.routes,
    [tokens.cells, tokens.secrets, tokens.passwords, tokens.signInAttempts],
    (cells, secrets, passwords, attempts) => {
      const passwordsOn = (queries: Queries) => new PostgresPasswords(queries, (token) => secrets.digest(token));
      const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
        passwords: passwordsOn(transaction),
        note: noteOn(transaction),
      }));
      const hash = (password: string, share: string) => passwords.hash(password, share);
      const stored = passwordsOn(cells.directory);
      return [changePasswordRoute(new ChangePassword(stored, unitOfWork, passwords, hash, attempts))];
    },
  );
});

const keysIn = (cells: Cells<Cell>, secrets: Secrets) =>
  new PostgresUnitOfWork(cells, (transaction) => ({
    keys: new PostgresAppKeys(transaction, (key) => secrets.digest(key)),
    note: noteOn(transaction),
  }));

const accessChangesOf = (notifications: Announcements): AccessChanges => ({
  isLiveFor: (businessId) => notifications.isLiveFor(businessId),
  onChange: (hear) => notifications.on("access_changed", (businessId) => hear(Number(businessId))),
  onGap: (hear) => notifications.onGap(hear),
});
