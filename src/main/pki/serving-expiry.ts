/** Says in the log that the serving certificate ends while the server runs, and that it has ended. */

import { X509Certificate } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ServingCertificate } from "../../http/contract/listener.ts";

/** How often it is looked at; timers of the system reach no further than 24 days. */
const lookEveryMs = 3_600_000;
/** How long before its end it is a warning. */
const warnBeforeMs = 7 * 86_400_000;

interface WatchOptions {
  /** The one that is served now: a reload may have replaced it. */
  serving(): ServingCertificate;
  readonly clock: Clock;
  readonly log: Log;
}

/** The first look is after `lookEveryMs`, or when the certificate ends: the start has said what is wrong with it then. */
export function watchServingExpiry({ serving, clock, log }: WatchOptions): { close(): void } {
  let told = "";
  const endMs = () => Date.parse(new X509Certificate(serving().certificate).validTo);
  const look = () => {
    const leftMs = endMs() - clock.now();
    const state = leftMs <= 0 ? "ended" : leftMs <= warnBeforeMs ? "ending" : "";
    const validTo = new Date(endMs()).toISOString();
    const fix = "renew its files and send the process SIGHUP; orch up renews its own at a restart";
    if (state !== told && state === "ended")
      log.error("the serving certificate has expired, and clients refuse it", { validTo, fix });
    if (state !== told && state === "ending") log.warn("the serving certificate expires soon", { validTo, fix });
    told = state;
    cancel = wait();
  };
  const wait = () => {
    const leftMs = endMs() - clock.now();
    return clock.after(leftMs > 0 && leftMs < lookEveryMs ? leftMs + 1 : lookEveryMs, look);
  };
  if (endMs() <= clock.now()) told = "ended";
  let cancel = wait();
  return { close: () => cancel() };
}
