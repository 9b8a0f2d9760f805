/** One request on its way through the chain: what was parsed, who asks, and what the filters have noted about it. */

import { randomUUID } from "node:crypto";
import type { AuditRecord } from "../audit/contract.ts";
import type { User } from "../authn/contract.ts";
import { anonymousUser } from "../authn/contract.ts";
import type { Attributes } from "../authz/contract.ts";
import type { BudgetHold } from "../base/memory-budget.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { Status } from "../machinery/status/status.ts";
import type { Caller } from "../registry/contract/write-context.ts";
import type { Exchange } from "./contract/exchange.ts";
import type { RequestFacts } from "./contract/routes.ts";
import type { RequestInfo } from "./request-info.ts";
import { parseRequestInfo } from "./request-info.ts";

/** Longer ids of clients are not taken over. */
const auditIdCharsMax = 64;
const none: readonly string[] = [];

/** Is at once what authorizers are asked and what hooks are told. */
export class Call implements Attributes, RequestFacts, Caller {
  /** Replaced by one that remembers the answer where the audit record wants it. */
  exchange: Exchange;
  readonly info: RequestInfo;
  /** On the monotonic clock. */
  readonly startedMs: number;
  user: User = anonymousUser;
  authenticatedUser: User = anonymousUser;
  authenticatedBy = "";
  credentialId = "";
  /** Set by authentication; asked only by those who pass headers on. */
  isSpent: ((header: string) => boolean) | undefined;
  /** Sentences for the Warning header, in order, none twice. */
  warnings: string[] | undefined;
  /** Undefined: the audit policy wants nothing of it, or nobody is known yet. */
  audit: AuditRecord | undefined;
  /** Whether the event that the answer began has been sent. */
  auditStarted = false;
  /** The Status that was answered, where it was one. */
  answered: Status | undefined;
  /** Why the request was refused, for the log. Undefined: it was not. */
  refusal: string | undefined;
  /** What admission notes for the audit record. */
  annotations: Map<string, string> | undefined;
  /** What the path is for, once it has been looked up. */
  kind: BoundKind | undefined;
  /** Set by the filter that keeps count; gives back in `leave`. */
  slots: { used: number } | undefined;
  hasLeft = false;
  bodyBytes = 0;
  /** Of a large body that is being worked on. */
  memory: BudgetHold | undefined;
  /** Neighbours in the list of requests that may time out. */
  later: Call | undefined;
  earlier: Call | undefined;
  expiresMs = 0;
  #isExpired = false;
  #abort: AbortController | undefined;
  #auditId: string | undefined;

  constructor(exchange: Exchange, startedMs: number) {
    this.exchange = exchange;
    this.info = parseRequestInfo(exchange.method, exchange.target);
    this.startedMs = startedMs;
  }

  /** The client has been told, or has given up; whatever comes of the request now is for nobody. */
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
  stepAside(): () => void {
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
  /** Its time is over, and the client has been told. */
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
  get auditAnnotations(): ReadonlyMap<string, string> {
    return this.annotations ?? noAnnotations;
  }
  get spentHeaders(): readonly string[] {
    const { isSpent } = this;
    return isSpent === undefined ? none : [...new Set(this.exchange.headerNames().filter(isSpent))];
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

  /** Watches and connections to elsewhere last as long as they like. */
  get isLongRunning(): boolean {
    const { verb, subresource } = this.info;
    return verb === "watch" || (subresource !== "" && longRunningSubresources.has(subresource));
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

const noAnnotations: ReadonlyMap<string, string> = new Map();
const longRunningSubresources: ReadonlySet<string> = new Set(["proxy", "exec", "attach", "portforward", "log"]);

function isPlainId(text: string): boolean {
  return text.length > 0 && text.length <= auditIdCharsMax && /^[\w.-]+$/.test(text);
}
