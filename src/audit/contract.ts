/** Who did what: what the way of a request tells the audit log, and what a sink of events promises. */

import type { User } from "../authn/contract.ts";

export type Level = "None" | "Metadata" | "Request" | "RequestResponse";
export const levels: readonly Level[] = ["None", "Metadata", "Request", "RequestResponse"];

export type Stage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";
export const stages: readonly Stage[] = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

/** A request as far as it is known when it has been received. */
export interface AuditedRequest {
  readonly auditId: string;
  /** As it was sent, query included. */
  readonly uri: string;
  readonly verb: string;
  /** Who authenticated; undefined: nobody did. */
  readonly user: User | undefined;
  /** The chain of proxies first, as far as headers name it, then the peer. */
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly receivedMs: number;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The parts of an object's metadata that the reference of an event shows. */
export interface ObjectNames {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** How a request was answered. A Status that was sent tells more than its code. */
export interface Answer {
  readonly code: number;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

/** The record of one request while it is worked on. Texts of objects are JSON in one line. */
export interface AuditRecord {
  /** Whether the object that was sent, or that is answered, is wanted at all: making it costs. */
  readonly wantsRequest: boolean;
  readonly wantsResponse: boolean;
  impersonates(user: User): void;
  annotate(key: string, value: string): void;
  /** Fills in what the path did not name. */
  refersTo(names: ObjectNames): void;
  requestObject(json: string): void;
  responseObject(json: string): void;
  /** Sends an event unless the policy omits the stage. A promise: the request has to wait for the sink. */
  reach(stage: Stage, answer?: Answer): void | Promise<void>;
}

export interface Audit {
  /** Undefined: the policy wants nothing of this request. */
  begin(request: AuditedRequest): AuditRecord | undefined;
}

/** One event, printed as late as possible: its members, and the two objects as JSON texts. */
export interface AuditEvent {
  readonly members: Readonly<Record<string, unknown>>;
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
}

/** Takes events. Never throws; what cannot be kept is counted. */
export interface Sink {
  readonly name: string;
  /** A promise where the mode of the sink makes requests wait; it rejects only where a request must fail with its event. */
  write(event: AuditEvent): void | Promise<void>;
  /** Resolves when everything taken so far has been written, or is lost. */
  close(): Promise<void>;
}
