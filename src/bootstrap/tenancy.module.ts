import { newToken, type Secrets } from "../infra/crypto/secrets.ts";
import { limitFailures, limitRate } from "../infra/http/middleware/rate-limit.ts";
import { trustedProxies } from "../infra/http/trusted-proxies.ts";
import type { Cells } from "../infra/postgres/cells.ts";
import type { Cell, Queries } from "../infra/postgres/database.ts";
import type { Announcements } from "../infra/postgres/notifications.ts";
import { PostgresUnitOfWork } from "../infra/postgres/unit-of-work.ts";
import { FairQueue } from "../kernel/fair-queue.ts";
import { authenticators } from "../tenancy/adapters/http/authenticators.ts";
import { DeviceCookie } from "../tenancy/adapters/http/device-cookie.ts";
import {
  acceptInvitationRoute,
  changePasswordRoute,
  checkInvitationRoute,
} from "../tenancy/adapters/http/password.routes.ts";
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
  type PasswordStore,
  RevokeAppKeys,
} from "../tenancy/public.ts";
import { noteOn } from "./audit.ts";
import { moduleOf } from "./provide.ts";

/**
 * How many look-ups of credentials and sender tokens may run and wait at a time. Each takes 1 or 2 ms in the database.
 * The queue of one network is long, because many clients may share a network.
 */
const lookUps = { name: "look-ups", width: 4, widthPerKey: 2, queuePerKey: 20_000, queue: 40_000, waitMs: 5_000 };

export const tenancyModule = moduleOf(({ provide, provideTick }) => {
  provide("appKeyStore", ({ cells, secrets }) => new PostgresKeyOwners(cells, secrets.digest));
  provide("sessions", ({ cells, secrets }) => new PostgresSessions(cells, secrets.digest));
  provide("lookUps", () => new FairQueue(lookUps));
  provide(
    "knownSessions",
    ({ sessions, notifications, lookUps }) => new CachedSessions(sessions, accessChangesOf(notifications), lookUps),
  );
  provide("newFailureLimit", ({ config: { http } }) => {
    return (name) => limitFailures({ name, points: http.failedAttemptsPerMinute, perSeconds: 60 });
  });
  provide("limitRate", ({ config: { http } }) => limitRate({ perSecond: http.requestsPerSecond, burst: http.burst }));
  provide(
    "knownKeys",
    ({ appKeyStore, notifications, lookUps }) =>
      new CachedAppKeys(appKeyStore, accessChangesOf(notifications), lookUps),
  );
  provide("authenticators", ({ knownKeys, knownSessions, newFailureLimit, limitRate, config: { http } }) =>
    authenticators({
      keys: knownKeys,
      sessions: knownSessions,
      failures: newFailureLimit("wrong credentials"),
      limitRate,
      hostOf: trustedProxies(http.trustProxy).hostOf,
    }),
  );
  provide("signInAttempts", ({ config: { http } }) => {
    return new RememberedSignInAttempts({ freeOfNetwork: http.failedAttemptsPerMinute });
  });
  provide(
    "openSession",
    ({ sessions, passwords, signInAttempts, config }) =>
      new OpenSession(sessions, sessions, passwords, signInAttempts, newToken, config.sessions.hours),
  );
  provide("issueSession", ({ openSession, cells }) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({ note: noteOn(transaction) }));
    return new IssueSession(openSession, unitOfWork);
  });
  provide("createBusiness", ({ cells, passwords }) => {
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      businesses: new PostgresBusinesses(transaction),
      note: noteOn(transaction),
    }));
    const numbers = new PostgresBusinessNumbers(cells);
    return new CreateBusiness(numbers, unitOfWork, passwords, newToken);
  });
  provide("issueAppKey", ({ cells, secrets }) => new IssueAppKey(keysIn(cells, secrets), newToken));
  provide("revokeAppKeys", ({ cells, secrets, appKeyStore }) => {
    return new RevokeAppKeys(appKeyStore, keysIn(cells, secrets));
  });
  provideTick("sessions.purge", 3600, ({ sessions }, signal) => sessions.purge(signal));
  provide("routes", ({ openSession, knownSessions, secrets }) => [
    openSessionRoute(openSession, new DeviceCookie(secrets.signDevice)),
    closeSessionRoute(knownSessions),
  ]);
  provide("routes", ({ cells, secrets, openSession, passwords, lookUps, newFailureLimit }) => {
    const store = new PostgresInvitations(cells, secrets.digest);
    const invitations: InvitationStore = {
      open: (token, network) => lookUps.run(network, () => store.open(token)),
    };
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      invitations: new PostgresPasswords(transaction, secrets.digest),
      note: noteOn(transaction),
    }));
    const accept = new AcceptInvitation(invitations, unitOfWork, openSession, passwords);
    const failures = newFailureLimit("wrong invitations");
    return [acceptInvitationRoute(accept, failures), checkInvitationRoute(accept, failures)];
  });
  provide("routes", ({ cells, secrets, passwords, signInAttempts }) => {
    const passwordsOn = (queries: Queries) => new PostgresPasswords(queries, secrets.digest);
    const unitOfWork = new PostgresUnitOfWork(cells, (transaction) => ({
      passwords: passwordsOn(transaction),
      note: noteOn(transaction),
    }));
    const store: Pick<PasswordStore, "passwordOf"> = {
      passwordOf: (businessId, userId) => passwordsOn(cells.of(businessId)).passwordOf(businessId, userId),
    };
    return [changePasswordRoute(new ChangePassword(store, unitOfWork, passwords, signInAttempts))];
  });
});

const keysIn = (cells: Cells<Cell>, secrets: Secrets) =>
  new PostgresUnitOfWork(cells, (transaction) => ({
    keys: new PostgresAppKeys(transaction, secrets.digest),
    note: noteOn(transaction),
  }));

const accessChangesOf = (notifications: Announcements): AccessChanges => ({
  isLiveFor: (businessId) => notifications.isLiveFor(businessId),
  onChange: (hear) => notifications.on("access_changed", (businessId) => hear(Number(businessId))),
  onGap: (hear) => notifications.onGap(hear),
});
