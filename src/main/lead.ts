/** Which of several servers on one store does a piece of work: the one that holds a Lease, through its own handler. */

import { type Clock, sleep } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { labelKey, type Metric, Reading } from "../base/metrics.ts";
import { createClient } from "../client/client.ts";
import { acquireLeadership, type LeaderOptions, type Leadership } from "../client/leader/leader.ts";
import { createMemoryFetch } from "../http/transport/memory-exchange.ts";
import { leaderStatus } from "../metrics/clients.ts";
import { serverUser } from "../registry/contract/server-writes.ts";
import type { Server } from "./server.ts";

/** What a Lease is taken with. */
export type Election = Pick<
  LeaderOptions,
  "identity" | "lease" | "leaseDurationMs" | "renewDeadlineMs" | "retryPeriodMs"
>;

interface LeadOptions {
  readonly server: Pick<Server, "handler" | "catalog">;
  readonly election: Election;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the lease is acquired, and with undefined when it is lost; nothing may act any more when that resolves. */
  onChange(leadership: Pick<Leadership, "isHeld"> | undefined): Promise<void>;
}

export interface Lead {
  /** Releases the lease, after nothing acts any more. */
  close(): Promise<void>;
}

export function takeLead({ server, election, userAgent, clock, log, onChange }: LeadOptions): Lead {
  const client = createClient({
    fetch: createMemoryFetch(server.handler, { user: serverUser }),
    vocabulary: server.catalog.environment.vocabulary,
    clock,
    userAgent,
  });
  const stop = new AbortController();
  const options = { client, clock, log, random: Math.random, ...election };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      let leadership: Leadership | undefined;
      try {
        leadership = await acquireLeadership(options, stop.signal);
        await onChange(leadership);
        await ended(leadership.signal, stop.signal);
      } catch (error) {
        if (stop.signal.aborted) return;
        log.warn("what a lease decides about could not begin", { lease: election.lease.name, error });
        await sleep(clock, election.retryPeriodMs, stop.signal).catch(() => undefined);
      } finally {
        if (leadership !== undefined) {
          await onChange(undefined);
          await leadership.release().catch(() => undefined); // it ends by itself
        }
      }
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}

/** A Reading each time it is shown: which of these leases the process holds now. */
export function leaderMetric(leases: () => readonly { readonly name: string; readonly isHeld: boolean }[]): Metric {
  return new Reading(leaderStatus, () =>
    leases().map(({ name, isHeld }) => [labelKey(leaderStatus.labels, [name]), isHeld ? 1 : 0]),
  );
}

function ended(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }
  });
}
