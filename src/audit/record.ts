/** The record of one request, and the events made from it. */

import type { Clock } from "../base/clock.ts";
import type { User } from "../machinery/meta/user.ts";
import type {
  Audit,
  AuditEvent,
  AuditedAnswer,
  AuditedRequest,
  AuditRecord,
  AuditSink,
  ObjectNames,
  Stage,
} from "./contract.ts";
import { microTime, printAnswer, printMap } from "./members.ts";
import type { AuditMetrics } from "./metrics.ts";
import { printOrigin } from "./origin.ts";
import type { AuditPolicy, AuditVerdict } from "./policy.ts";

interface AuditOptions {
  readonly policy: AuditPolicy;
  readonly sinks: readonly AuditSink[];
  readonly clock: Clock;
  readonly metrics: AuditMetrics;
}

export function createAudit(options: AuditOptions): Audit {
  const { policy, metrics } = options;
  return {
    begin(request) {
      const verdict = policy.check(request);
      metrics.level(verdict.level);
      return verdict.level === "None" ? undefined : new Recorder(request, verdict, options);
    },
  };
}

/** Annotations whose values contain parts of the request body, so that they are shown from the level Request on. */
const requestAnnotations = "patch.webhook.";

class Recorder implements AuditRecord {
  readonly wantsRequest: boolean;
  readonly wantsResponse: boolean;
  readonly #request: AuditedRequest;
  readonly #verdict: AuditVerdict;
  readonly #options: AuditOptions;
  #impersonated: User | undefined;
  /** Key, value, key, value. */
  #annotations: string[] | undefined;
  /** Undefined: those of the target. */
  #names: ObjectNames | undefined;
  #sent: string | undefined;
  #answered: string | undefined;

  constructor(request: AuditedRequest, verdict: AuditVerdict, options: AuditOptions) {
    this.#request = request;
    this.#verdict = verdict;
    this.#options = options;
    this.wantsResponse = verdict.level === "RequestResponse";
    this.wantsRequest = this.wantsResponse || verdict.level === "Request";
  }

  impersonates(user: User): void {
    this.#impersonated = user;
  }

  annotate(key: string, value: string): void {
    if (!this.wantsRequest && key.startsWith(requestAnnotations)) return;
    if (this.#annotations === undefined) this.#annotations = [key, value];
    else if (!hasKey(this.#annotations, key)) this.#annotations.push(key, value);
  }

  refersTo(names: ObjectNames): void {
    const known: ObjectNames = this.#names ?? this.#request.target;
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

  reach(stage: Stage, answer?: AuditedAnswer): void | Promise<void> {
    if (this.#verdict.omitStages.has(stage)) return;
    const { sinks, metrics, clock } = this.#options;
    const isReceived = stage === "RequestReceived";
    const stageMs = isReceived ? this.#request.recordedMs : clock.now();
    const event = new StageEvent(this, stage, stageMs, this.#impersonated, this.#names);
    event.annotations = this.#annotationsAt(stage);
    if (!isReceived) {
      event.answer = answer;
      event.requestObject = this.#sent;
      event.responseObject = this.#answered;
    }
    metrics.event();
    let waiting: Promise<unknown> | undefined;
    for (const sink of sinks) {
      const pending = sink.write(event);
      if (pending !== undefined) waiting = waiting === undefined ? pending : Promise.all([waiting, pending]);
    }
    return waiting?.then(
      () => undefined,
      (cause: unknown) => {
        metrics.rejected();
        throw cause;
      },
    );
  }

  /** A copy: annotations may be added after all stages but the last. */
  #annotationsAt(stage: Stage): readonly string[] | undefined {
    return stage === "ResponseComplete" ? this.#annotations : this.#annotations?.slice();
  }

  /** Prints member by member: an object for JSON.stringify would cost more than all the rest of an audited get. */
  print({ stage, stageMs, answer, impersonated, names, annotations }: StageEvent): string {
    const { auditId, receivedMs } = this.#request;
    return (
      `"level":"${this.#verdict.level}","auditID":"${auditId}","stage":"${stage}"` +
      printOrigin(this.#request, impersonated, names) +
      (answer === undefined ? "" : `,"responseStatus":${printAnswer(answer)}`) +
      `,"requestReceivedTimestamp":"${microTime(receivedMs)}","stageTimestamp":"${microTime(stageMs)}"` +
      (annotations === undefined ? "" : `,"annotations":${printMap(annotations)}`)
    );
  }
}

function hasKey(annotations: readonly string[], key: string): boolean {
  for (let at = 0; at < annotations.length; at += 2) if (annotations[at] === key) return true;
  return false;
}

/**
 * What the record knew when a stage was reached. Printed when a sink needs it: many events at once are printed in a fraction of the time
 * that each takes between requests.
 */
class StageEvent implements AuditEvent {
  readonly #record: Recorder;
  readonly stage: Stage;
  readonly stageMs: number;
  readonly impersonated: User | undefined;
  readonly names: ObjectNames | undefined;
  answer: AuditedAnswer | undefined;
  /** Key, value, key, value. */
  annotations: readonly string[] | undefined;
  requestObject: string | undefined;
  responseObject: string | undefined;
  #text: string | undefined;

  constructor(
    record: Recorder,
    stage: Stage,
    stageMs: number,
    impersonated: User | undefined,
    names: ObjectNames | undefined,
  ) {
    this.#record = record;
    this.stage = stage;
    this.stageMs = stageMs;
    this.impersonated = impersonated;
    this.names = names;
  }
  get text(): string {
    this.#text ??= this.#record.print(this);
    return this.#text;
  }
}
