/** Limits how many Events are written: in total, for each namespace, for each user, or for each source and object. */

import { Event } from "../../api/core/v1/event.ts";
import type { Clock } from "../../base/clock.ts";
import { LruMap } from "../../base/lru-map.ts";
import { createTokenBucket, type TokenBucket } from "../../base/token-bucket.ts";
import { elided, int32, list, type Static, string, struct } from "../../machinery/schema/build.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { type ConfigurationKind, readConfiguration } from "../configuration/configuration-kind.ts";
import type { AdmissionContext } from "../context.ts";
import type { AdmissionPlugin } from "../contract.ts";
import { on, plugin, type RequestOn } from "../on.ts";

const limitFields = struct("config.EventLimit", {
  type: string(),
  qps: elided(int32()),
  burst: elided(int32()),
  cacheSize: elided(int32()),
});
type Limit = Static<typeof limitFields>;
const fields = struct("config.EventRateLimit", { limits: elided(list(limitFields)) });
const EventRateLimitConfiguration: ConfigurationKind<Static<typeof fields>> = {
  versions: [{ apiVersion: "eventratelimit.admission.orch.io/v1alpha1", kind: "Configuration" }],
  schema: fields,
};

/** The default number of buckets of a limit; a bucket that was evicted starts full again. */
export const eventBucketsMax = 4096;

/** Which Events share a bucket, by the type of the limit. */
const bucketKeys: ReadonlyMap<string, (request: EventWrite) => string> = new Map([
  ["Server", () => ""],
  ["Namespace", ({ namespace }) => namespace],
  ["User", ({ user }) => user.name],
  ["SourceAndObject", sourceAndObject],
]);

export function createEventRateLimit({ configuration, catalog, clock }: AdmissionContext): AdmissionPlugin {
  const given = configuration("EventRateLimit");
  if (given === undefined) {
    throw new Error(
      "admission plugin EventRateLimit requires a configuration with limits; name it with --admission-control-config-file",
    );
  }
  const { limits = [] } = readConfiguration(EventRateLimitConfiguration, given, catalog.environment.vocabulary);
  if (limits.length === 0) throw new Error(`${given.where}: limits: must not be empty`);
  const enforced = limits.map((limit, index) => {
    checkLimit(limit, `${given.where}: limits[${index}]`);
    return createEnforcer(limit, clock);
  });
  return plugin("EventRateLimit", [
    // Only through the core group, as in v1.21: clients of the newer group limit themselves.
    on(Event, ["CREATE", "UPDATE"], {
      validate(request) {
        if (request.dryRun) return;
        // Every limit counts the event, also when another has refused it.
        const exceeded = enforced.filter(({ admits }) => !admits(request)).map(({ type }) => type);
        if (exceeded.length === 0) return;
        throw new StatusError("TooManyRequests", `Too many requests: limit reached on type ${exceeded.join(", ")}`);
      },
    }),
  ]);
}

type EventWrite = RequestOn<Event>;

interface Enforcer {
  readonly type: string;
  readonly admits: (request: EventWrite) => boolean;
}

function createEnforcer({ type, qps = 0, burst = 0, cacheSize = 0 }: Limit, clock: Clock): Enforcer {
  const keyOf = bucketKeys.get(type) ?? (() => "");
  const buckets = new LruMap<string, TokenBucket>(cacheSize || eventBucketsMax);
  return {
    type,
    admits(request) {
      const key = keyOf(request);
      const now = clock.monotonic();
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = createTokenBucket({ perSecond: qps, burst }, now);
        buckets.set(key, bucket);
      }
      return bucket.take(now);
    },
  };
}

function checkLimit({ type, qps = 0, burst = 0, cacheSize = 0 }: Limit, where: string): void {
  if (!bucketKeys.has(type)) {
    throw new Error(`${where}.type: must be one of ${[...bucketKeys.keys()].join(", ")}, not "${type}"`);
  }
  if (qps <= 0) throw new Error(`${where}.qps: must be positive`);
  if (burst <= 0) throw new Error(`${where}.burst: must be positive`);
  if (cacheSize < 0) throw new Error(`${where}.cacheSize: must not be negative`);
}

function sourceAndObject({ object: { source, involvedObject } }: EventWrite): string {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return JSON.stringify([source?.component, source?.host, kind, namespace, name, uid, apiVersion]);
}
