/** Leader election on a Lease: of several processes one works, and it stops before another may begin. */

import { type Clock, sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { AnyObject, Client, ResourceClient } from "../contract.ts";
import { hasReason, ifThere } from "../requests/send.ts";
import { leaderProblem, retryJitter } from "./check-leader.ts";

export interface LeaderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  /** Unique to this process: "host_uuid". */
  readonly identity: string;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** How long others wait after the last renewal they saw. */
  readonly leaseDurationMs: number;
  /** How long the holder tries to renew before it gives up; shorter than the duration. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /** From 0 up to 1; spreads the tries of several processes. */
  readonly random: () => number;
}

interface LeaseObject extends AnyObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export interface Leadership {
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
  /** False from the moment at which another process may hold the lease, whatever this process has noticed. */
  isHeld(): boolean;
  /** Releases the lease, so that others take over at once. */
  release(): Promise<void>;
}

/**
 * Resolves when this process holds the lease; rejects with the signal's reason when it aborts before, and at once if the settings are
 * not safe.
 */
export async function acquireLeadership(options: LeaderOptions, signal: AbortSignal): Promise<Leadership> {
  const problem = leaderProblem(options);
  if (problem !== undefined) throw new TypeError(`leader election: ${problem}`);
  const { client, clock, log, retryPeriodMs, renewDeadlineMs, random, lease } = options;
  const address = {
    group: client.vocabulary.group("coordination.orch.io"),
    version: "v1",
    resource: "leases",
    kind: "Lease",
    namespaced: true,
  };
  const leases = client.at(address) as ResourceClient<LeaseObject>; // the kind of the address
  const attempt = createAttempt(leases, options);
  while ((await attempt(signal)) !== "held")
    await sleep(clock, retryPeriodMs * (1 + (retryJitter - 1) * random()), signal);
  log.info("became the leader", { lease: lease.name });

  const lost = new AbortController();
  const stop = new AbortController();
  let renewedMs = clock.monotonic();
  const isHeld = () => !lost.signal.aborted && !stop.signal.aborted && clock.monotonic() - renewedMs < renewDeadlineMs;
  const renew = async () => {
    while (!stop.signal.aborted) {
      await sleep(clock, retryPeriodMs, stop.signal).catch(() => undefined);
      if (stop.signal.aborted) return;
      const startedMs = clock.monotonic();
      const timeout = new AbortController();
      const cancel = clock.after(renewDeadlineMs, () => timeout.abort());
      const outcome = await attempt(timeout.signal).catch(() => "failed");
      cancel();
      if (outcome === "held") renewedMs = startedMs;
      else if (outcome === "taken" || clock.monotonic() - renewedMs >= renewDeadlineMs) {
        const why = outcome === "taken" ? "another process holds the lease" : "the lease could not be renewed";
        log.error(`lost leadership: ${why}`, { lease: lease.name });
        lost.abort(new Error("leadership was lost"));
        return;
      }
    }
  };
  const renewing = renew();
  return {
    signal: lost.signal,
    isHeld,
    async release() {
      stop.abort();
      await renewing;
      if (lost.signal.aborted) return;
      await giveUp(leases, options).catch((error: unknown) => log.debug("the lease was not released", { error }));
    },
  };
}

/** One attempt to take or renew the lease. Renewals of others are timed by our own clock: theirs may be wrong. */
function createAttempt(leases: ResourceClient<LeaseObject>, options: LeaderOptions) {
  const { clock, identity, lease, leaseDurationMs } = options;
  let seen = "";
  let seenMs = 0;
  let told = "";
  /** A right that is missing would otherwise be a process that waits for ever and does not say why. */
  const tell = (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    if (message === told) return;
    told = message;
    options.log.warn("the lease could not be read or written; it is tried again", { lease: lease.name, error });
  };
  return async (signal: AbortSignal): Promise<"held" | "taken" | "failed"> => {
    try {
      const known = await ifThere(leases.get(lease, { signal }));
      // Not before: the read may take long, and the term begins with the write.
      const now = microTime(clock.now());
      const term = {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
        renewTime: now,
      };
      if (known === undefined) {
        const spec = { ...term, acquireTime: now, leaseTransitions: 0 };
        await leases.create({ metadata: { ...lease }, spec }, { signal });
        return "held";
      }
      const { holderIdentity = "", renewTime = "", acquireTime = now, leaseTransitions = 0 } = known.spec ?? {};
      if (`${holderIdentity} ${renewTime}` !== seen) {
        seen = `${holderIdentity} ${renewTime}`;
        seenMs = clock.monotonic();
      }
      const isOurs = holderIdentity === identity;
      if (!isOurs && holderIdentity !== "" && clock.monotonic() - seenMs < leaseDurationMs) return "taken";
      const spec = isOurs
        ? { ...known.spec, ...term, acquireTime }
        : { ...known.spec, ...term, acquireTime: now, leaseTransitions: leaseTransitions + 1 };
      await leases.update({ ...known, spec }, { signal });
      return "held";
    } catch (error) {
      // Another was faster, or the server does not answer: the next attempt finds out.
      if (signal.aborted) throw signal.reason;
      if (!hasReason(error, "Conflict", "AlreadyExists")) tell(error);
      return "failed";
    }
  };
}

async function giveUp(leases: ResourceClient<LeaseObject>, { identity, lease, clock }: LeaderOptions): Promise<void> {
  const known = await leases.get(lease);
  if (known.spec?.holderIdentity !== identity) return;
  const now = microTime(clock.now());
  const spec = { ...known.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: now };
  await leases.update({ ...known, spec });
}

const microTime = (ms: number) => new Date(ms).toISOString().replace(/\.(\d{3})Z$/, ".$1000Z");
