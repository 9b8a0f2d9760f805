/** Reads the flags of leader election: which Lease a process takes, and in which times. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { FlagError } from "../../base/flags/flag.ts";
import { leaderProblem } from "../../client/leader/check-leader.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Election } from "../lead.ts";

interface ElectionFlags {
  readonly "leader-elect": boolean;
  readonly "leader-elect-lease-duration": number;
  readonly "leader-elect-renew-deadline": number;
  readonly "leader-elect-retry-period": number;
  readonly "leader-elect-resource-name": string;
  readonly "leader-elect-resource-namespace": string;
}

/** Throws FlagError if two processes could lead at once with these settings. */
export function readElection(flags: ElectionFlags, vocabulary: Vocabulary): Election {
  const election = {
    identity: `${hostname()}_${randomUUID()}`,
    lease: {
      namespace: vocabulary.word(flags["leader-elect-resource-namespace"]),
      name: vocabulary.word(flags["leader-elect-resource-name"]),
    },
    leaseDurationMs: flags["leader-elect-lease-duration"],
    renewDeadlineMs: flags["leader-elect-renew-deadline"],
    retryPeriodMs: flags["leader-elect-retry-period"],
  };
  const problem = flags["leader-elect"] ? leaderProblem(election) : undefined;
  if (problem !== undefined) throw new FlagError(`--leader-elect: ${problem}`);
  return election;
}
