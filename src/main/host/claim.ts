/**
 * One `orch host` for a Deployment, on whichever machine: it renews a Lease while it works. No clocks are compared: a Lease of another
 * machine that changes while it is watched is in use, and one that does not was left behind.
 */

import { hostname } from "node:os";
import { type Clock, systemClock } from "../../base/clock.ts";
import { isRunning } from "../../base/process-identity.ts";
import { hasReason, isForbidden } from "../../client/requests/refusals.ts";
import type { Client } from "../../kit/contract.ts";
import { Lease } from "../../kit/kinds.ts";

interface Claim {
  /** Gives the Deployment to others. */
  release(): Promise<void>;
}

interface ClaimOptions {
  readonly client: Client;
  readonly hosted: { readonly namespace: string; readonly name: string };
  say(text: string): void;
  readonly machine?: string;
  readonly clock?: Clock;
}

/** How often a run renews its Lease, and how long the next one watches it before it takes it. */
const claimRenewMs = 4_000;
export const claimWatchMs = 12_000;

/** Throws if another run has the Deployment. */
export async function claim(options: ClaimOptions): Promise<Claim> {
  const { client, hosted, say, machine = hostname(), clock = systemClock } = options;
  const leases = client.of(Lease);
  const ref = { namespace: hosted.namespace, name: leaseName(hosted.name) };
  const holder = `${machine} (process ${process.pid})`;
  const spec = () => ({
    holderIdentity: holder,
    leaseDurationSeconds: claimWatchMs / 1_000,
    renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z"),
  });
  const where = `deployment ${hosted.namespace}/${hosted.name}`;
  const taken = (by: string) => new Error(`${where} is hosted on ${by} already; end that first`);
  try {
    let found = await leases.find(ref);
    const other = found?.spec?.holderIdentity ?? "";
    if (found !== undefined && other !== "" && !isOver(other, machine)) {
      say(`looks for ${claimWatchMs / 1_000} s whether ${other}, which hosted ${where}, still does`);
      await new Promise<void>((resolve) => void clock.after(claimWatchMs, resolve));
      const now = await leases.find(ref);
      if (now !== undefined && now.metadata.resourceVersion !== found.metadata.resourceVersion) throw taken(other);
      found = now;
    }
    if (found === undefined) await leases.create({ metadata: ref, spec: spec() });
    else await leases.update({ ...found, spec: spec() });
  } catch (error) {
    if (hasReason(error, "AlreadyExists", "Conflict"))
      throw taken((await leases.find(ref))?.spec?.holderIdentity ?? "another machine");
    // Without the namespace there is no Deployment either, and its absence is told.
    if (!hasReason(error, "Forbidden", "NotFound")) throw error;
    if (isForbidden(error))
      say(`this user may not write Leases in ${hosted.namespace}, so a run on another machine is not noticed`);
    return { release: async () => undefined };
  }
  const renew = async () => {
    const current = await leases.find(ref);
    if (current?.spec?.holderIdentity === holder) await leases.update({ ...current, spec: spec() });
  };
  let cancel = () => {};
  const renewLater = () => {
    // What fails once is tried again the next time.
    cancel = clock.after(
      claimRenewMs,
      () =>
        void renew()
          .catch(() => undefined)
          .then(() => isReleased || renewLater()),
    );
  };
  let isReleased = false;
  renewLater();
  return {
    async release() {
      isReleased = true;
      cancel();
      const current = await leases.find(ref);
      if (current?.spec?.holderIdentity === holder) await leases.delete(ref);
    },
  };
}

/** A run of this machine is known by its process. */
function isOver(holder: string, machine: string): boolean {
  const pid = Number(/ \(process (\d+)\)$/.exec(holder)?.[1]);
  return holder.startsWith(`${machine} (`) && !isRunning({ pid, started: "" });
}

/** A name has at most 253 characters, and ends with a letter or digit. */
const leaseName = (name: string): string => `orch-host.${name}`.slice(0, 253).replace(/[^a-z0-9]+$/, "");
