/** The record of one request, and the events made from it. */

import type { User } from "../authn/contract.ts";
import type { Clock } from "../base/clock.ts";
import type {
  Answer,
  Audit,
  AuditEvent,
  AuditedRequest,
  AuditRecord,
  Level,
  ObjectNames,
  Sink,
  Stage,
} from "./contract.ts";
import type { AuditMetrics } from "./metrics.ts";
import type { Policy, Verdict } from "./policy.ts";

export interface AuditOptions {
  readonly policy: Policy;
  readonly sinks: readonly Sink[];
  readonly clock: Clock;
  readonly metrics: AuditMetrics;
}

export function createAudit(options: AuditOptions): Audit {
  const { policy, metrics } = options;
  return {
    begin(request) {
      const verdict = policy.judge(request);
      metrics.level(verdict.level);
      return verdict.level === "None" ? undefined : new Recorder(request, verdict, options);
    },
  };
}

/** Longer user agents are cut, as in v1.21. */
export const userAgentCharsMax = 1_024;
/** Annotations whose values contain parts of the request body, so that they are shown from the level Request on. */
const requestAnnotations = /^patch\.webhook\./;

class Recorder implements AuditRecord {
  readonly #request: AuditedRequest;
  readonly #verdict: Verdict;
  readonly #options: AuditOptions;
  #impersonated: User | undefined;
  #annotations: Record<string, string> | undefined;
  #names: ObjectNames;
  #sent: string | undefined;
  #answered: string | undefined;

  constructor(request: AuditedRequest, verdict: Verdict, options: AuditOptions) {
    this.#request = request;
    this.#verdict = verdict;
    this.#options = options;
    this.#names = request;
  }

  get #level(): Level {
    return this.#verdict.level;
  }
  get wantsRequest(): boolean {
    return this.#level === "Request" || this.#level === "RequestResponse";
  }
  get wantsResponse(): boolean {
    return this.#level === "RequestResponse";
  }

  impersonates(user: User): void {
    this.#impersonated = user;
  }

  annotate(key: string, value: string): void {
    if (requestAnnotations.test(key) && !this.wantsRequest) return;
    this.#annotations ??= Object.create(null) as Record<string, string>;
    this.#annotations[key] ??= value;
  }

  refersTo(names: ObjectNames): void {
    const known = this.#names;
    this.#names = {
      namespace: known.namespace || names.namespace,
      name: known.name || names.name,
      uid: known.uid || names.uid,
      resourceVersion: known.resourceVersion || names.resourceVersion,
    };
  }

  requestObject(json: string): void {
    if (this.wantsRequest) this.#sent = json;
  }
  responseObject(json: string): void {
    if (this.wantsResponse) this.#answered = json;
  }

  reach(stage: Stage, answer?: Answer): void | Promise<void> {
    if (this.#verdict.omitStages.has(stage)) return;
    const { sinks, metrics } = this.#options;
    const event = this.#event(stage, answer);
    metrics.event();
    const waiting = sinks.map((sink) => sink.write(event)).filter((pending) => pending !== undefined);
    if (waiting.length > 0) return Promise.all(waiting).then(() => undefined);
  }

  #event(stage: Stage, answer: Answer | undefined): AuditEvent {
    const { auditId, uri, verb, user, sourceIps, userAgent, receivedMs } = this.#request;
    const agent =
      userAgent.length > userAgentCharsMax ? `${userAgent.slice(0, userAgentCharsMax)}...TRUNCATED` : userAgent;
    const isReceived = stage === "RequestReceived";
    return {
      members: {
        level: this.#level,
        auditID: auditId,
        stage,
        requestURI: uri,
        verb,
        user: user === undefined ? {} : userOf(user),
        ...(this.#impersonated === undefined ? {} : { impersonatedUser: userOf(this.#impersonated) }),
        ...(sourceIps.length === 0 ? {} : { sourceIPs: sourceIps }),
        ...(agent === "" ? {} : { userAgent: agent }),
        ...(this.#request.isResource ? { objectRef: this.#reference() } : {}),
        ...(isReceived || answer === undefined ? {} : { responseStatus: { metadata: {}, ...present(answer) } }),
        requestReceivedTimestamp: microTime(receivedMs),
        stageTimestamp: microTime(this.#options.clock.now()),
        ...(isReceived || this.#annotations === undefined ? {} : { annotations: this.#annotations }),
      },
      requestObject: isReceived ? undefined : this.#sent,
      responseObject: isReceived ? undefined : this.#answered,
    };
  }

  #reference(): Record<string, string> {
    const { resource, group, version, subresource } = this.#request;
    const { namespace, name, uid, resourceVersion } = this.#names;
    return present({
      resource,
      namespace,
      name,
      uid,
      apiGroup: group,
      apiVersion: version,
      resourceVersion,
      subresource,
    }) as Record<string, string>; // all values are strings
  }
}

/** A copy without empty members. */
function present(members: object): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined && value !== "") result[name] = value;
  return result;
}

/** Users are never changed, and the same one sends many requests. */
const printedUsers = new WeakMap<User, Record<string, unknown>>();

function userOf(user: User): Record<string, unknown> {
  const known = printedUsers.get(user);
  if (known !== undefined) return known;
  const { name, uid, groups, extra } = user;
  const made = {
    ...(name === "" ? {} : { username: name }),
    ...(uid === "" ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
  printedUsers.set(user, made);
  return made;
}

/** Most events are of the second of the one before. */
let lastSecond = { second: Number.NaN, text: "" };

/** 2021-06-01T12:00:00.123000Z: the clock has milliseconds, the format microseconds. */
function microTime(ms: number): string {
  const whole = Math.floor(ms);
  const second = Math.floor(whole / 1_000);
  if (second !== lastSecond.second) lastSecond = { second, text: new Date(second * 1_000).toISOString().slice(0, 20) };
  return `${lastSecond.text}${String(whole - second * 1_000).padStart(3, "0")}000Z`;
}
