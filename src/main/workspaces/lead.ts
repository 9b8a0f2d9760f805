/** Which of several servers on one store runs the controllers of workspaces: the one that holds a Lease of the root. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Clock, sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { createClient } from "../../client/client.ts";
import { acquireLeadership, type Leadership } from "../../client/leader/leader.ts";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import { serverUser } from "../../registry/contract/server-writes.ts";
import type { Server } from "../server.ts";

/** As controller managers do. */
const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

interface LeadOptions {
  readonly root: Server;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the lease is acquired and when it is lost; nothing may act any more when it resolves. */
  onChange(leads: boolean): Promise<void>;
}

interface Lead {
  /** Releases the lease, after nothing acts any more. */
  close(): Promise<void>;
}

export function takeLead({ root, clock, log, onChange }: LeadOptions): Lead {
  const { vocabulary } = root.catalog.environment;
  const client = createClient({
    fetch: createMemoryFetch(root.handler, { user: serverUser }),
    vocabulary,
    clock,
    userAgent: "workspaces",
  });
  const stop = new AbortController();
  const options = {
    client,
    clock,
    log,
    identity: `${hostname()}_${randomUUID()}`,
    lease: { namespace: vocabulary.word("orch-system"), name: "workspaces" },
    ...times,
    random: Math.random,
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      let leadership: Leadership | undefined;
      try {
        leadership = await acquireLeadership(options, stop.signal);
        await onChange(true);
        await ended(leadership.signal, stop.signal);
      } catch (error) {
        if (stop.signal.aborted) return;
        log.warn("the lease of the controllers of workspaces could not be taken", { error });
        await sleep(clock, times.retryPeriodMs, stop.signal).catch(() => undefined);
      } finally {
        if (leadership !== undefined) {
          await onChange(false);
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

function ended(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    }
  });
}
