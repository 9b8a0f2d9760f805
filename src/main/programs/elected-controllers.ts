/** Controllers inside servers that share a store: each part of a control plane runs in the one that holds its Lease. */

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { QueueStats } from "../../base/queue/contract.ts";
import type { Leadership } from "../../client/leader/leader.ts";
import type { Controller } from "../../controllers/contract.ts";
import type { RunningControllers } from "../../controllers/run.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { type Election, type Lead, takeLead } from "../lead.ts";
import type { Server } from "../server.ts";

/** Those with a program of their own, which takes the same lease: `orch scheduler` and `orch nodes`. */
const ownLeases: Readonly<Record<string, string>> = {
  scheduler: "orch-scheduler",
  "simulated-nodes": "orch-simulated-nodes",
};

interface ElectedOptions {
  readonly server: Pick<Server, "handler" | "catalog">;
  readonly controllers: readonly Controller[];
  /** Of the controllers without a lease of their own. */
  readonly election: Election;
  readonly clock: Clock;
  readonly log: Log;
  /** `mayWrite`: false from the moment at which another server may run the same ones. */
  start(controllers: readonly Controller[], mayWrite: () => boolean): RunningControllers;
}

export interface ElectedControllers {
  readonly stats: readonly QueueStats[];
  readonly leases: readonly { readonly name: string; readonly isHeld: boolean }[];
  close(): Promise<void>;
}

export function runElectedControllers(options: ElectedOptions): ElectedControllers {
  const { vocabulary } = options.server.catalog.environment;
  const parts = partsOf(options.controllers, options.election.lease.name, vocabulary).map((part) =>
    runPart(options, part),
  );
  return {
    get stats() {
      return parts.flatMap((part) => part.stats);
    },
    get leases() {
      return parts;
    },
    async close() {
      await Promise.all(parts.map((part) => part.close()));
    },
  };
}

interface Part {
  readonly lease: string;
  readonly controllers: readonly Controller[];
}

function partsOf(controllers: readonly Controller[], rest: string, vocabulary: Vocabulary): Part[] {
  const parts = new Map<string, Controller[]>();
  for (const controller of controllers) {
    const own = ownLeases[controller.name];
    const lease = own === undefined ? rest : vocabulary.word(own);
    parts.set(lease, [...(parts.get(lease) ?? []), controller]);
  }
  return [...parts].map(([lease, chosen]) => ({ lease, controllers: chosen }));
}

function runPart(options: ElectedOptions, { lease: name, controllers }: Part) {
  const { server, election, clock, log, start } = options;
  const { vocabulary } = server.catalog.environment;
  let running: RunningControllers | undefined;
  let leadership: Pick<Leadership, "isHeld"> | undefined;
  const lead: Lead = takeLead({
    server,
    election: { ...election, lease: { ...election.lease, name } },
    userAgent: vocabulary.word("orch-controller-manager"),
    clock,
    log,
    async onChange(now) {
      leadership = now;
      if (now !== undefined) running = start(controllers, () => now.isHeld());
      else {
        const before = running;
        running = undefined;
        await before?.close();
      }
    },
  });
  return {
    name,
    get isHeld() {
      return leadership?.isHeld() === true;
    },
    get stats() {
      return running?.stats ?? [];
    },
    close: () => lead.close(),
  };
}
