/** What `orch up --enable-testing` has beside its API: the journal, and faults that FaultPlan objects plan. */

import { ClusterRole } from "../api/rbac/v1/cluster-role.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Interventions } from "../http/contract/interventions.ts";
import type { Route } from "../http/contract/routes.ts";
import { createMemoryFetch } from "../http/transport/memory-exchange.ts";
import { createFaults } from "../testkit/faults/faults.ts";
import { type FollowedPlans, followFaultPlans } from "../testkit/faults/plans.ts";
import { createInterventions, kitUser } from "../testkit/interventions.ts";
import { createJournal } from "../testkit/journal/journal.ts";
import { createJournalRoute } from "../testkit/journal/route.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { confidentialFields } from "./confidential-fields.ts";
import type { Server } from "./server.ts";

export interface TestingParts {
  readonly interventions: Interventions;
  readonly routes: readonly Route[];
  /** Serves FaultPlan objects and does what they say, until it is closed. */
  follow(server: Server): Promise<FollowedPlans>;
}

interface TestingOptions {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Log;
}

export function createTestingParts({ vocabulary, clock, log }: TestingOptions): TestingParts {
  const rolesApiVersion = `${vocabulary.group(ClusterRole.group)}/${ClusterRole.version}`;
  const journal = createJournal({
    isOn: true,
    now: () => clock.now(),
    rolesApiVersion,
    confidential: confidentialFields(vocabulary),
  });
  const faults = createFaults(() => clock, log);
  return {
    interventions: createInterventions(journal, faults),
    routes: [createJournalRoute(journal)],
    follow: ({ registry, catalog, handler }) =>
      followFaultPlans({
        registry,
        catalog,
        vocabulary,
        faults,
        fetch: createMemoryFetch(handler, { user: kitUser }),
        onError: (error) => log.error("fault plans could not be followed", { error }),
      }),
  };
}
