/** One request on its way through the chain: what was parsed, who the caller is, and what the filters have noted about it. */

import { randomUUID } from "node:crypto";
import type { AuditRecord } from "../../audit/contract.ts";
import { type Authentication, anonymousUser } from "../../authn/contract.ts";
import type { Attributes, SelectorRequirement } from "../../authz/contract.ts";
import { readFieldSelector, readLabelSelector } from "../../authz/selectors.ts";
import type { Ticket } from "../../flowcontrol/contract.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Status } from "../../machinery/status/status.ts";
import type { AdmissionTrace } from "../../registry/contract/admission.ts";
import type { WriteOrigin } from "../../registry/contract/history.ts";
import type { Transaction } from "../../registry/contract/transaction.ts";
import type { Caller } from "../../registry/contract/write-context.ts";
import type { Exchange } from "../contract/exchange.ts";
import type { RequestFacts, Upload } from "../contract/routes.ts";
import { CallUpload } from "./call-upload.ts";
import type { Expiry } from "./expiry.ts";
import type { HeldBody } from "./request-body.ts";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";
import type { Slot } from "./slot.ts";
import { Warnings } from "./warnings.ts";

/** The server replaces longer request ids that clients send. */
const auditIdCharsMax = 64;
const none: readonly string[] = [];
/** What made a controller send the request. */
const causeHeader = "orch-cause";
/** A write that is retried many times notes no more steps than this. */
const stepsMax = 100;

interface EndedStep {
  readonly step: string;
  /** On the monotonic clock. */
  readonly endedMs: number;
}
const noSteps: readonly EndedStep[] = [];

/** What all requests of a server need to know of it. */
interface CallServer {
  /** The clock for the ends of steps. */
  monotonic(this: void): number;
  /** Whether a header may carry a credential. Absent: none does. */
  readonly isConsumed?: ((header: string) => boolean) | undefined;
}

/** Serves as the attributes for authorizers and as the request that hooks see. */
export class Call implements Attributes, RequestFacts, Caller {
  /** Replaced by an exchange that copies the answer if the audit record includes it. */
  exchange: Exchange;
  readonly info: RequestInfo;
  readonly isLongRunning: boolean;
  /** On the monotonic clock. */
  readonly startedMs: number;
  /** When the last measured filter ended. */
  filteredMs: number;
  /** When the handler was done, or a filter had refused the request; 0: not yet. */
  endedMs = 0;
  /** How many filters the request has to leave; kept by the chain. */
  leaveCount = 0;
  /** Off without the gate WarningHeaders. */
  sendsWarnings = true;
  /** Undefined: the user is not known yet. */
  authentication: Authentication | undefined;
  /** The user after impersonation. */
  user: User = anonymousUser;
  /** Undefined: the audit policy does not record this request, or the user is not known yet. */
  audit: AuditRecord | undefined;
  /** The Status that was sent, if the answer was a Status. */
  answered: Status | undefined;
  /** Why the request was refused, for the log. Undefined: it was not. */
  refusal: string | undefined;
  /** What the path refers to, once it has been looked up. */
  kind: BoundKind | undefined;
  /** Its state in priority and fairness. */
  ticket: Ticket | undefined;
  /** Its place among the requests in flight, in a server without priority and fairness. */
  slot: Slot | undefined;
  /** Undefined: no body was read. */
  body: HeldBody | undefined;
  /** Set by a test that records what admission does. */
  trace: AdmissionTrace | undefined;
  /** The request of the transaction that this one is an operation of. Undefined: it stands alone. */
  whole: Call | undefined;
  /** The transaction that holds its write back. */
  transaction: Transaction | undefined;
  /** Undefined: the request does not time out. */
  expiry: Expiry<Call> | undefined;
  readonly #server: CallServer | undefined;
  #warnings: Warnings | undefined;
  #annotations: Map<string, string> | undefined;
  #steps: EndedStep[] | undefined;
  #isExpired = false;
  #abort: AbortController | undefined;
  #auditId: string | undefined;
  #changedBy: readonly string[] = none;

  /** Without a server, steps are not recorded. */
  constructor(exchange: Exchange, startedMs: number, server?: CallServer) {
    this.exchange = exchange;
    this.info = parseRequestInfo(exchange.method, exchange.target);
    this.isLongRunning = isLongRunning(this.info);
    this.startedMs = startedMs;
    this.filteredMs = startedMs;
    this.#server = server;
  }

  /** As an operation of a transaction: for the user of `whole`, with its deadline, its seat and its warnings. */
  joins(whole: Call, transaction: Transaction): void {
    this.whole = whole;
    this.transaction = transaction;
    this.authentication = whole.authentication;
    this.user = whole.authenticatedUser;
    this.expiry = whole.expiry;
    this.ticket = whole.ticket;
    this.slot = whole.slot;
    this.trace = whole.trace;
    this.sendsWarnings = whole.sendsWarnings;
  }

  /** A step of the request has just ended. */
  mark(step: string): void {
    if (this.#server !== undefined) this.markAt(step, this.#server.monotonic());
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
    return this.expiry?.atMs ?? Number.POSITIVE_INFINITY;
  }
  releaseSeat(): () => void {
    return this.ticket?.releaseSeat() ?? this.slot?.release() ?? (() => {});
  }
  beginUpload(): Upload {
    const owner = this.expiry ?? { upload: undefined, releaseSeat: () => this.releaseSeat() };
    const upload = new CallUpload(owner);
    owner.upload = upload;
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
  /** The cause is a controller's own word. */
  get origin(): WriteOrigin {
    const { exchange, info, authenticatedUser } = this;
    return {
      verb: info.verb,
      subresource: info.subresource,
      userAgent: (this.whole ?? this).exchange.header("user-agent") ?? "",
      requestId: this.auditId,
      impersonator: authenticatedUser === this.user ? "" : authenticatedUser.name,
      cause: exchange.header(causeHeader) ?? "",
      changedBy: this.#changedBy,
    };
  }
  /** An update that is tried again is admitted again. */
  changedBy(name: string): void {
    if (!this.#changedBy.includes(name)) this.#changedBy = [...this.#changedBy, name];
  }
  get authenticatedUser(): User {
    return this.authentication?.user ?? anonymousUser;
  }
  get authenticatedBy(): string {
    return this.authentication?.by ?? "";
  }
  get credentialId(): string {
    return this.authentication?.credentialId ?? "";
  }
  get consumedHeaders(): readonly string[] {
    const isConsumed = this.#server?.isConsumed;
    // No authenticator reads the headers of a request whose user is given.
    if (isConsumed === undefined || this.exchange.presetUser !== undefined) return none;
    return [...new Set(this.exchange.headerNames().filter((name) => isConsumed(name)))];
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
  // Few authorizers want to know these.
  get fieldSelector(): readonly SelectorRequirement[] | undefined {
    const text = selects(this.info) ? this.info.query.get("fieldSelector") : undefined;
    return text === undefined ? undefined : readFieldSelector(text).requirements;
  }
  get labelSelector(): readonly SelectorRequirement[] | undefined {
    const text = selects(this.info) ? this.info.query.get("labelSelector") : undefined;
    return text === undefined ? undefined : readLabelSelector(text).requirements;
  }

  /** What admission notes for the audit record. */
  get annotations(): ReadonlyMap<string, string> | undefined {
    return this.#annotations;
  }
  annotate(key: string, value: string): void {
    this.#annotations ??= new Map();
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  /** Sentences for the Warning header; undefined: none. */
  get warnings(): Warnings | undefined {
    return this.#warnings;
  }
  warn(text: string): void {
    if (!this.sendsWarnings) return;
    this.whole?.warn(text);
    this.#warnings ??= new Warnings();
    this.#warnings.add(text);
  }
}

const selectingVerbs: ReadonlySet<string> = new Set(["list", "watch", "deletecollection"]);
const selects = ({ isResource, verb }: RequestInfo): boolean => isResource && selectingVerbs.has(verb);

const longRunningSubresources: ReadonlySet<string> = new Set(["proxy", "exec", "attach", "portforward", "log"]);

/** Watches, connections to other servers, profiles, backups and journals that are followed have no request timeout. */
function isLongRunning({ verb, subresource, isResource, path, query }: RequestInfo): boolean {
  if (!isResource)
    return (
      path === "/backup" || path.startsWith("/debug/pprof/") || (path === "/journal" && query.get("follow") === "true")
    );
  return verb === "watch" || (subresource !== "" && longRunningSubresources.has(subresource));
}

function isPlainId(text: string): boolean {
  return text.length > 0 && text.length <= auditIdCharsMax && /^[\w.-]+$/.test(text);
}
