/** The journal and the faults of one server, as its handler calls them. */

import type { Interventions } from "../http/contract/interventions.ts";
import type { User } from "../machinery/meta/user.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { OpenFaults } from "./faults/faults.ts";
import type { OpenJournal } from "./journal/journal.ts";
import { journalPath } from "./journal/route.ts";

/** Follows plans and fills servers: no fault hits its requests, and they are not recorded. Compared as the very object, which no client can be. */
export const kitUser: User = {
  name: "system:testkit",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: new Map(),
};

export function createInterventions(journal: OpenJournal, faults: OpenFaults): Interventions {
  return {
    get isActive() {
      return journal.isActive || faults.isActive;
    },
    enter(request) {
      if (request.user === kitUser || request.path === journalPath) return;
      if (journal.isActive) journal.enter(request);
      if (!faults.isActive) return;
      return Promise.resolve(faults.enter(request)).catch((error: unknown) => {
        journal.leave(request, error instanceof StatusError ? error.code : 0);
        throw error;
      });
    },
    leave: (request) => journal.leave(request),
  };
}
