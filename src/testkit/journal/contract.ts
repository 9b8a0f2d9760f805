/** What clients have asked of a server. */

import type { RequestVerb } from "../request-verbs.ts";

export interface Journal {
  /** Begins to record, if the server was created without `journal`. */
  start(): void;
  clear(): void;
  /** In the order of arrival; of more than `requestsMax`, the newest. Throws if nothing was recorded because the journal is off. */
  requests(query?: JournalQuery): readonly JournalEntry[];
  /** Resolves when such requests have not come for so long, in real time. Rejects after `timeoutMs` and names the last ones. */
  quiet(query: JournalQuery & { readonly forMs: number; readonly timeoutMs?: number }): Promise<void>;
  /**
   * The least rights that would have allowed every request of the user: a ClusterRole, and a Role for each namespace. Who watched may
   * also list, because a watch that has expired begins with a list.
   */
  role(user: string): readonly LeastRole[];
  /**
   * Sends the recorded writes to another server, in their order, one after the other: `replay(other.fetch, { user: "my-controller" })`. Resolves with
   * what was answered there; a refusal does not stop it.
   */
  replay(
    send: (path: string, init: RequestInit) => Promise<Response>,
    query?: JournalQuery,
  ): Promise<readonly ReplayedRequest[]>;
}

/**
 * An entry must have all of these; a list means any of its members.
 * @example
 * const writes: JournalQuery = { verb: ["create", "update"], resource: "pods" };
 */
export interface JournalQuery {
  readonly user?: string | readonly string[];
  readonly verb?: RequestVerb | readonly RequestVerb[];
  /** "pods", "deployments.apps". */
  readonly resource?: string | readonly string[];
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * A request as the journal has it.
 * @example
 * const codes = server.journal.requests().map(({ code }: JournalEntry) => code);
 */
export interface JournalEntry {
  /** Counts answers, in their order; a watch has its number from its beginning. 0: not answered yet. */
  readonly number: number;
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** "": not a resource; see `path`. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** The object that the path names, or that a create has made, if admission has accepted it. "": neither. */
  readonly name: string;
  readonly path: string;
  /** The path with its query, as received, but for values that may be secrets: those are `***`. */
  readonly target: string;
  /** 0: not answered yet. */
  readonly code: number;
  /** Milliseconds since 1970, on the clock of the server. */
  readonly atMs: number;
  /** In real time; of a watch, how long it was open. Undefined: not over yet. */
  readonly durationMs: number | undefined;
  /** The body of a write as text, cut off after `bodyCharsMax`; undefined: there was none. Values of confidential fields are `***`. */
  readonly body: string | undefined;
  /** Whether the body has such values, so that it cannot be sent again. */
  readonly isRedacted: boolean;
  /** Its media type, which says of what kind a patch is. */
  readonly contentType: string | undefined;
  /** What the client calls itself; "": nothing. */
  readonly userAgent: string;
  /** What admission did to a write, in order; of more than `stepsMax` steps, the first. */
  readonly admission: readonly AdmittedStep[];
  /** What the write changes, from the stored object to the one after mutating admission. Undefined: it is not an admitted write, or too large. */
  readonly changes: FieldChanges | undefined;
}

/** A plugin that ran for a request, a webhook that it called, or a policy that it applied. */
export interface AdmittedStep {
  readonly plugin: string;
  readonly webhook?: { readonly name: string; readonly configuration: string };
  readonly policy?: { readonly name: string; readonly binding: string };
  readonly phase: "mutate" | "validate";
  /** 1: again, because a plugin or webhook has replaced the object. */
  readonly round: 0 | 1;
  /** In real time. Undefined: not over yet. */
  readonly durationMs: number | undefined;
  /** "ignored": the webhook could not be called or the policy was violated, and the request goes on. Undefined: not over yet. */
  readonly outcome: "allowed" | "refused" | "ignored" | undefined;
  /** Why it was not allowed. */
  readonly message?: string;
  /** What it has changed in the object. Absent: nothing. */
  readonly changes?: FieldChanges;
}

export interface FieldChanges {
  readonly fields: readonly FieldChange[];
  /** Whether there are more than are kept. */
  readonly areMore: boolean;
}

export interface FieldChange {
  /** "spec.containers[0].image" */
  readonly field: string;
  /** As JSON, cut off after `valueCharsMax`. Absent: the field was not there. */
  readonly before?: string;
  /** As JSON, cut off after `valueCharsMax`. Absent: the field is gone. */
  readonly after?: string;
}

export interface ReplayedRequest {
  readonly entry: JournalEntry;
  /** 0: it was not sent, because its body was cut off, has hidden values or is not text. */
  readonly code: number;
}

export interface LeastRole {
  readonly apiVersion: string;
  readonly kind: "ClusterRole" | "Role";
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly Rule[];
}

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}
