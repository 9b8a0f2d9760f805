/** Calls an operator's service that decides whether a user may do something. */

import type { Callout } from "../base/callout.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { type Attributes, type Authorizer, type Decision, noOpinion } from "./contract.ts";

interface WebhookAuthorizerOptions {
  /** Default: "Webhook". */
  readonly name?: string;
  readonly callout: Callout;
  /** --authorization-webhook-version. */
  readonly version: "v1" | "v1beta1";
  /** --authorization-webhook-cache-authorized-ttl and -unauthorized-ttl in milliseconds; 0: not remembered. */
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
  /**
   * What a failure means: of the call, or of a condition. Absent: no opinion, with a reason for people, as for the service of
   * --authorization-webhook-config-file.
   */
  readonly failurePolicy?: "Deny" | "NoOpinion";
  /** Whether the service is asked, by the spec of the review; an Error says why this cannot be found out. Absent: always. */
  readonly selects?: ((spec: object) => boolean | Error | Promise<boolean | Error>) | undefined;
  /** Whether reviews contain the selectors of a request. */
  readonly sendsSelectors?: boolean | undefined;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Log;
}

export const webhookCacheEntriesMax = 1024;
/** Questions longer than this are not remembered: the caller chooses their texts. */
export const webhookKeyCharsMax = 10_000;

export function createWebhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { callout, version, allowedTtlMs, deniedTtlMs, vocabulary, clock, log, sendsSelectors = false } = options;
  const apiVersion = `${vocabulary.group("authorization.orch.io")}/${version}`;
  const { name = "Webhook", failurePolicy, selects } = options;
  const known = new Map<string, { decision: Decision; untilMs: number }>();
  const pending = new Map<string, Promise<Decision>>();

  const remember = (key: string, decision: Decision) => {
    const ttlMs = decision.outcome === "allow" ? allowedTtlMs : deniedTtlMs;
    if (ttlMs <= 0 || key.length > webhookKeyCharsMax) return;
    known.delete(key);
    known.set(key, { decision, untilMs: clock.monotonic() + ttlMs });
    if (known.size > webhookCacheEntriesMax) known.delete(known.keys().next().value!);
  };
  const ask = async (key: string, spec: object): Promise<Decision> => {
    try {
      const decision = readDecision(await callout({ apiVersion, kind: "SubjectAccessReview", spec }));
      remember(key, decision);
      return decision;
    } catch (error) {
      const reason = error instanceof Error ? error.message : "unknown";
      log.warn("authorization webhook failed", { name, reason });
      return failure(failurePolicy, `the authorization webhook ${name} could not be called: ${reason}`);
    }
  };
  const find = (spec: object): Decision | Promise<Decision> => {
    const key = JSON.stringify(spec);
    const remembered = known.get(key);
    if (remembered !== undefined && remembered.untilMs > clock.monotonic()) return remembered.decision;
    known.delete(key);
    const underWay = pending.get(key);
    if (underWay !== undefined) return underWay;
    const asking = ask(key, spec).finally(() => pending.delete(key));
    pending.set(key, asking);
    return asking;
  };
  const decide = (spec: object, selected: boolean | Error): Decision | Promise<Decision> => {
    if (selected instanceof Error)
      return failure(failurePolicy, `a condition of the authorization webhook ${name} failed: ${selected.message}`);
    return selected ? find(spec) : noOpinion;
  };
  return {
    name,
    authorize(asked) {
      const spec = specOf(asked, version, sendsSelectors);
      if (selects === undefined) return find(spec);
      const selected = selects(version === "v1" ? spec : specOf(asked, "v1", sendsSelectors));
      return selected instanceof Promise ? selected.then((known) => decide(spec, known)) : decide(spec, selected);
    },
  };
}

function failure(policy: WebhookAuthorizerOptions["failurePolicy"], error: string): Decision {
  if (policy === undefined) return { outcome: "none", reason: "the authorization webhook could not be called" };
  return { outcome: policy === "Deny" ? "deny" : "none", reason: "", error };
}

function readDecision(answer: Readonly<Record<string, unknown>>): Decision {
  const { status } = answer;
  if (answer.kind !== "SubjectAccessReview" || typeof status !== "object" || status === null) {
    throw new Error("the answer is not a SubjectAccessReview with a status");
  }
  const { allowed, denied, reason } = status as Record<string, unknown>; // an object, as checked
  if (allowed === true && denied === true) throw new Error("the answer both allows and denies");
  return {
    outcome: denied === true ? "deny" : allowed === true ? "allow" : "none",
    reason: typeof reason === "string" ? reason.slice(0, 1024) : "",
  };
}

/** Empty fields are omitted, as a v1.21 server does. */
function specOf(asked: Attributes, version: "v1" | "v1beta1", sendsSelectors: boolean): object {
  const { user } = asked;
  const target = asked.isResource
    ? {
        resourceAttributes: {
          ...withoutEmpty({
            namespace: asked.namespace,
            verb: asked.verb,
            group: asked.group,
            version: asked.version,
            resource: asked.resource,
            subresource: asked.subresource,
            name: asked.name,
          }),
          ...(sendsSelectors ? selectorsOf(asked) : {}),
        },
      }
    : { nonResourceAttributes: withoutEmpty({ path: asked.path, verb: asked.verb }) };
  return {
    ...target,
    ...withoutEmpty({ user: user.name }),
    ...(user.groups.length === 0 ? {} : { [version === "v1" ? "groups" : "group"]: user.groups }),
    ...(user.extra.size === 0 ? {} : { extra: Object.fromEntries(user.extra) }),
    ...withoutEmpty({ uid: user.uid }),
  };
}

function selectorsOf({ fieldSelector = [], labelSelector = [] }: Attributes): object {
  return {
    ...(fieldSelector.length === 0 ? {} : { fieldSelector: { requirements: fieldSelector } }),
    ...(labelSelector.length === 0 ? {} : { labelSelector: { requirements: labelSelector } }),
  };
}

function withoutEmpty(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}
