/** Calls an operator's service to find the user of a token. */

import type { Callout } from "../base/callout.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { intersect } from "./audiences.ts";
import type { AuthenticationOutcome, TokenAuthenticator } from "./contract.ts";
import { createDigester, type Digester } from "./digest.ts";
import type { CredentialMetrics } from "./metrics.ts";
import { createLoadingTokenCache } from "./token-cache.ts";

interface WebhookTokenOptions {
  readonly callout: Callout;
  /** --authentication-token-webhook-version. */
  readonly version: "v1" | "v1beta1";
  /** --authentication-token-webhook-cache-ttl in milliseconds. */
  readonly cacheTtlMs: number;
  /** The audiences of a token for which the service names none. */
  readonly audiences: readonly string[];
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Log;
  readonly digester?: Digester;
  /** Absent: nothing is counted. */
  readonly metrics?: CredentialMetrics | undefined;
}

/** A refusal is forgotten sooner than an acceptance: a token may become valid. */
const webhookRefusedTtlMs = 10_000;

export function createWebhookToken(options: WebhookTokenOptions): TokenAuthenticator {
  const { callout, version, cacheTtlMs, vocabulary, clock, log, digester = createDigester() } = options;
  const apiVersion = `${vocabulary.group("authentication.orch.io")}/${version}`;
  const cache = createLoadingTokenCache<AuthenticationOutcome>({
    clock,
    digester,
    metrics: options.metrics?.tokenCache,
    load: async (key) => {
      const { token, audiences } = JSON.parse(key) as { token: string; audiences?: string[] }; // made below
      try {
        const answer = await callout({
          apiVersion,
          kind: "TokenReview",
          spec: { token, ...(audiences?.length ? { audiences } : {}) },
        });
        const value = readReview(answer, audiences, options.audiences);
        return { value, ttlMs: value === "rejected" ? Math.min(cacheTtlMs, webhookRefusedTtlMs) : cacheTtlMs };
      } catch (error) {
        // Not remembered: the service may be back for the next request.
        log.warn("token webhook failed", { reason: error instanceof Error ? error.message : "unknown" });
        return { value: "rejected", ttlMs: 0 };
      }
    },
  });
  return {
    name: "webhook",
    authenticateToken: (token, audiences) => cache.get(JSON.stringify({ token, audiences })),
  };
}

function readReview(
  answer: Readonly<Record<string, unknown>>,
  wanted: readonly string[] | undefined,
  implied: readonly string[],
): AuthenticationOutcome {
  const status = objectOf(answer.status);
  const user = objectOf(status.user);
  if (answer.kind !== "TokenReview" || status.authenticated !== true) return "rejected";
  if (typeof user.username !== "string") return "rejected";
  const given = textsOf(status.audiences);
  const audiences = wanted?.length ? intersect(wanted, given.length > 0 ? given : implied) : given;
  if (wanted?.length && audiences.length === 0) return "rejected";
  return {
    user: {
      name: user.username,
      uid: typeof user.uid === "string" ? user.uid : "",
      groups: textsOf(user.groups),
      extra: new Map(Object.entries(objectOf(user.extra)).map(([key, values]) => [key, textsOf(values)])),
    },
    by: "webhook",
    ...(audiences.length > 0 ? { audiences } : {}),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
