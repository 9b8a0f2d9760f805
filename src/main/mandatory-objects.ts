/** Keeps the objects that no server can be without: every minute, what somebody has deleted is made again. */

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Catalog } from "../machinery/schema/catalog.ts";
import type { Registry } from "../registry/contract.ts";
import type { Keeper } from "../strategies/conditions/write-status.ts";
import { remakeMandatoryObjects } from "./bootstrap.ts";

export const remakeIntervalMs = 60_000;

export interface MandatoryObjectsOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
}

export function keepMandatoryObjects({ registry, catalog, clock, log }: MandatoryObjectsOptions): Keeper {
  let closed = false;
  let working: Promise<void> = Promise.resolve();
  const remake = async () => {
    await remakeMandatoryObjects({ registry, catalog }).catch((error: unknown) => {
      if (!closed) log.warn("objects that must be there were not made again", { error });
    });
    if (!closed) schedule();
  };
  let cancel: () => void;
  const schedule = () => {
    cancel = clock.after(remakeIntervalMs, () => {
      working = remake();
    });
  };
  schedule();
  return {
    async close() {
      closed = true;
      cancel();
      await working;
    },
  };
}
