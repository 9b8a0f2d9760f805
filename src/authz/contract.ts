/** The contract of authorizers: whether a user may do something. */

import type { User } from "../machinery/meta/user.ts";

/** The attributes of a request, as the specification derives them. Absent parts are empty strings. */
export interface Attributes {
  readonly user: User;
  /** get, list, watch, create, update, patch, delete, deletecollection, … or for paths: get, post, put, … */
  readonly verb: string;
  /** Whether the request is for a resource; otherwise `path` counts and the rest is empty. */
  readonly isResource: boolean;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What a list, watch or deletecollection selects. Absent: not known, so everything. */
  readonly fieldSelector?: readonly SelectorRequirement[] | undefined;
  readonly labelSelector?: readonly SelectorRequirement[] | undefined;
}

export type SelectorOperator = "In" | "NotIn" | "Exists" | "DoesNotExist";

export interface SelectorRequirement {
  /** The path of a field, or the key of a label. */
  readonly key: string;
  readonly operator: SelectorOperator;
  /** One for fields, none for the two operators of existence. */
  readonly values: readonly string[];
}

export interface Decision {
  /** `none`: no opinion, ask the next; if no authorizer has one the request is denied. */
  readonly outcome: "allow" | "deny" | "none";
  /** For people; shown to the client in the 403 and kept in the audit record. */
  readonly reason: string;
  /** What went wrong while deciding. Absent: nothing did. */
  readonly error?: string | undefined;
}

/** A rule as SelfSubjectRulesReview shows it. */
interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}
interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}
export interface RulesAnswer {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Whether the list may be incomplete, and why. */
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}

/** Decides synchronously where it can: a promise costs every request a turn of the event loop. */
export interface Authorizer {
  readonly name: string;
  authorize(attributes: Attributes): Decision | Promise<Decision>;
  /** What `user` may do in `namespace`; absent: this module does not know. */
  rulesFor?(user: User, namespace: string): RulesAnswer | Promise<RulesAnswer>;
}

export const noOpinion: Decision = { outcome: "none", reason: "" };
