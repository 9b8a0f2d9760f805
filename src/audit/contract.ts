/** The audit contracts: what the handler chain reports about a request, and what a sink of events guarantees. */

import type { User } from "../machinery/meta/user.ts";

export type AuditLevel = "None" | "Metadata" | "Request" | "RequestResponse";
export const levels: readonly AuditLevel[] = ["None", "Metadata", "Request", "RequestResponse"];

export type Stage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";
export const stages: readonly Stage[] = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];

/** A request as far as it is known when it has been received. */
export interface AuditedRequest {
  /** Nothing in it needs to be escaped in JSON. */
  readonly auditId: string;
  /** As it was sent, query included. */
  readonly uri: string;
  readonly target: AuditedTarget;
  /** The authenticated user; undefined: authentication failed. */
  readonly user: User | undefined;
  /** The proxies first, as far as headers name them, then the peer. */
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly receivedMs: number;
  /** When its record began, which is the time of its first event. */
  readonly recordedMs: number;
}

/** What the method and the URI of a request ask for. */
export interface AuditedTarget {
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The parts of an object's metadata that the object reference of an event shows. */
export interface ObjectNames {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** How a request was answered. A Status contains more than its code. */
export interface AuditedAnswer {
  readonly code: number;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

/** The record of one request in progress. Objects are JSON texts on one line. */
export interface AuditRecord {
  /** Whether the request object or the response object is recorded at all, since encoding it is expensive. */
  readonly wantsRequest: boolean;
  readonly wantsResponse: boolean;
  impersonates(user: User): void;
  annotate(key: string, value: string): void;
  /** Fills in what the path does not contain. */
  refersTo(names: ObjectNames): void;
  requestObject(json: string): void;
  responseObject(json: string): void;
  /** Sends an event unless the policy omits the stage. If it returns a promise, the request must wait for the sink. */
  reach(stage: Stage, answer?: AuditedAnswer): void | Promise<void>;
}

export interface Audit {
  /** Undefined: the policy does not record this request. */
  begin(request: AuditedRequest): AuditRecord | undefined;
  /** Whether events name the authenticator and the credential that it accepted: --audit-credentials. Default: false. */
  readonly namesCredentials?: boolean;
}

/** One event, as far as all versions and formats print it alike. */
export interface AuditEvent {
  readonly stage: Stage;
  /** The members from `level` on, without the objects: JSON on one line, without braces. */
  readonly text: string;
  /** JSON texts. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
}

/** Receives events. Never throws; events that cannot be written are counted. */
export interface AuditSink {
  readonly name: string;
  /** A promise if the mode of the sink makes requests wait; it rejects only if the request must fail together with its event. */
  write(event: AuditEvent): void | Promise<void>;
  /** Resolves when all events received so far have been written or lost. */
  close(): Promise<void>;
}
