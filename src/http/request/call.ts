/** One request on its way through the chain: what was parsed, who the caller is, and what the filters have noted about it. */

import { randomUUID } from "node:crypto";
import type { AuditRecord } from "../../audit/contract.ts";
import { anonymousUser } from "../../authn/contract.ts";
import type { Attributes } from "../../authz/contract.ts";
import type { BudgetHold } from "../../base/memory-budget.ts";
import type { Ticket } from "../../flowcontrol/contract.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Status } from "../../machinery/status/status.ts";
import type { Caller } from "../../registry/contract/write-context.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { RequestFacts, Upload } from "../contract/routes.ts";
import { CallUpload } from "./call-upload.ts";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";

/** The server replaces longer request ids that clients send. */
const auditIdCharsMax = 64;
const none: readonly string[] = [];
/** A write that is retried many times notes no more steps than this. */
const stepsMax = 100;

export interface EndedStep {
  readonly step: string;
  /** On the monotonic clock. */
  readonly endedMs: number;
}
const noSteps: readonly EndedStep[] = [];

/** Serves as the attributes for authorizers and as the request that hooks see. */
export class Call implements Attributes, RequestFacts, Caller {
  /** Replaced by an exchange that copies the answer if the audit record includes it. */
  exchange: Exchange;
  readonly info: RequestInfo;
  /** On the monotonic clock. */
  readonly startedMs: number;
  /** When the last measured filter ended. */
  filteredMs: number;
  /** When the handler was done, or a filter had refused the request; 0: not yet. */
  endedMs = 0;
  /** How many filters the request has to leave; kept by the chain. */
  leaveCount = 0;
  readonly isLongRunning: boolean;
  user: User = anonymousUser;
  authenticatedUser: User = anonymousUser;
  authenticatedBy = "";
  credentialId = "";
  /** Set by authentication; only code that forwards headers calls it. */
  isConsumed: ((header: string) => boolean) | undefined;
  /** Sentences for the Warning header, in order, without duplicates. */
  warnings: string[] | undefined;
  /** Undefined: the audit policy does not record this request, or the user is not known yet. */
  audit: AuditRecord | undefined;
  /** Whether the audit event about the start of the answer has been sent. */
  auditStarted = false;
  /** The Status that was sent, if the answer was a Status. */
  answered: Status | undefined;
  /** Why the request was refused, for the log. Undefined: it was not. */
  refusal: string | undefined;
  /** What admission notes for the audit record. */
  annotations: Map<string, string> | undefined;
  /** What the path refers to, once it has been looked up. */
  kind: BoundKind | undefined;
  /** Set by the filter of priority and fairness, which ends it in `leave`. */
  ticket: Ticket | undefined;
  /** Whether the request counts among those in flight because its ticket is executing. */
  isExecuting = false;
  /** Set by the filter that counts requests in flight, which releases it in `leave`. */
  slots: { used: number } | undefined;
  hasLeft = false;
  /** Counted among all requests of the server. */
  hasArrived = false;
  bodyBytes = 0;
  /** Of a large body that is being worked on. */
  memory: BudgetHold | undefined;
  /** Neighbours in the list of requests that may time out. */
  later: Call | undefined;
  earlier: Call | undefined;
  expiresMs = 0;
  /** The body, while it is forwarded to an aggregated server. */
  upload: CallUpload | undefined = undefined;
  readonly #monotonic: (() => number) | undefined;
  #steps: EndedStep[] | undefined;
  #isExpired = false;
  #abort: AbortController | undefined;
  #auditId: string | undefined;

  /** `monotonic` is the clock for the ends of steps; absent: steps are not recorded. */
  constructor(exchange: Exchange, startedMs: number, monotonic?: () => number) {
    this.exchange = exchange;
    this.info = parseRequestInfo(exchange.method, exchange.target);
    this.isLongRunning = isLongRunning(this.info);
    this.startedMs = startedMs;
    this.filteredMs = startedMs;
    this.#monotonic = monotonic;
  }

  /** A step of the request has just ended. */
  mark(step: string): void {
    if (this.#monotonic !== undefined) this.markAt(step, this.#monotonic());
  }
  markAt(step: string, endedMs: number): void {
    this.#steps ??= [];
    if (this.#steps.length < stepsMax) this.#steps.push({ step, endedMs });
  }
  /** In the order in which they ended. */
  get steps(): readonly EndedStep[] {
    return this.#steps ?? noSteps;
  }

  /** The client has its answer or has given up, so the result of the request is no longer needed. */
  get gone(): boolean {
    return this.#isExpired || this.exchange.gone;
  }
  get isExpired(): boolean {
    return this.#isExpired;
  }
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      this.#abort = abort;
      if (this.gone) abort.abort();
      else this.exchange.onFinish(() => this.gone && abort.abort());
    }
    return this.#abort.signal;
  }
  get deadlineMs(): number {
    return this.expiresMs === 0 ? Number.POSITIVE_INFINITY : this.expiresMs;
  }
  releaseSeat(): () => void {
    if (this.ticket !== undefined) return this.ticket.releaseSeat();
    const { slots } = this;
    if (slots === undefined) return () => {};
    this.slots = undefined;
    slots.used--;
    return () => {
      if (this.hasLeft) return;
      slots.used++;
      this.slots = slots;
    };
  }
  beginUpload(): Upload {
    const upload = new CallUpload(this);
    this.upload = upload;
    return upload;
  }
  /** The request has timed out, and the client has been answered. */
  expire(): void {
    this.#isExpired = true;
    this.#abort?.abort();
  }

  get auditId(): string {
    if (this.#auditId === undefined) {
      const given = this.exchange.header("audit-id");
      this.#auditId = given !== undefined && isPlainId(given) ? given : randomUUID();
    }
    return this.#auditId;
  }
  get consumedHeaders(): readonly string[] {
    const { isConsumed } = this;
    return isConsumed === undefined ? none : [...new Set(this.exchange.headerNames().filter(isConsumed))];
  }
  get verb(): string {
    return this.info.verb;
  }
  get isResource(): boolean {
    return this.info.isResource;
  }
  get path(): string {
    return this.info.path;
  }
  get group(): string {
    return this.info.group;
  }
  get version(): string {
    return this.info.version;
  }
  get resource(): string {
    return this.info.resource;
  }
  get subresource(): string {
    return this.info.subresource;
  }
  get namespace(): string {
    return this.info.namespace;
  }
  get name(): string {
    return this.info.name;
  }

  annotate(key: string, value: string): void {
    this.annotations ??= new Map();
    if (!this.annotations.has(key)) this.annotations.set(key, value);
  }

  warn(text: string): void {
    if (this.warnings === undefined) this.warnings = [text];
    else if (!this.warnings.includes(text)) this.warnings.push(text);
  }
}

const longRunningSubresources: ReadonlySet<string> = new Set(["proxy", "exec", "attach", "portforward", "log"]);

/** Watches, connections to other servers, profiles and backups have no request timeout. */
function isLongRunning({ verb, subresource, isResource, path }: RequestInfo): boolean {
  if (!isResource) return path === "/backup" || path.startsWith("/debug/pprof/");
  return verb === "watch" || (subresource !== "" && longRunningSubresources.has(subresource));
}

function isPlainId(text: string): boolean {
  return text.length > 0 && text.length <= auditIdCharsMax && /^[\w.-]+$/.test(text);
}
