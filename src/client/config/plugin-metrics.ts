/** Measures how long the client certificates of credential plugins last, under the names of v1.21. */

import { X509Certificate } from "node:crypto";
import { Histogram, type Metric, Reading } from "../../base/metrics.ts";
import { execCredentialTtl, execRotationAge } from "../../metrics/clients.ts";

export interface PluginMetrics {
  readonly all: readonly Metric[];
  /** A plugin has given a certificate (PEM) in place of `before`; "": none. */
  replaced(certificate: string, before: string): void;
}

export function createPluginMetrics(nowMs: () => number): PluginMetrics {
  const age = new Histogram(execRotationAge);
  const current = new Map<string, number>();
  const ttl = new Reading(execCredentialTtl, () => {
    const shortest = Math.min(Number.POSITIVE_INFINITY, ...current.values());
    return [["", (shortest - nowMs()) / 1_000]];
  });
  return {
    all: [ttl, age],
    replaced(certificate, before) {
      const old = timesOf(before);
      current.delete(before);
      if (old !== undefined) age.observe(age.series(), (nowMs() - old.notBeforeMs) / 1_000);
      const times = timesOf(certificate);
      if (times !== undefined) current.set(certificate, times.notAfterMs);
    },
  };
}

function timesOf(pem: string): { readonly notBeforeMs: number; readonly notAfterMs: number } | undefined {
  if (pem === "") return undefined;
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    return { notBeforeMs: Date.parse(validFrom), notAfterMs: Date.parse(validTo) };
  } catch {
    return undefined; // TLS will refuse it and say so
  }
}
