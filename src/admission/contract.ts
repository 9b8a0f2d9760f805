/** The contract of admission plugins, which may change or refuse a write before it is stored. */

import type { AdmissionRequest } from "../registry/contract/admission.ts";

/** What many requests have in common. */
export type RequestTarget = Pick<AdmissionRequest, "kind" | "subresource" | "operation">;

/**
 * How some requests are handled. Throws a StatusError to refuse. `mutate` runs after defaults and before the kind's strategy and
 * validation, `validate` last. Both may take as long as `signal` lets them: nothing that other requests wait for is held meanwhile.
 */
export interface AdmissionRule {
  /** Which requests it handles; others never reach it. Absent: all. */
  handles?(request: AdmissionRequest): boolean;
  /**
   * Whether `mutate` changes no member in place that the object has of `old`: it leaves such a member alone, or replaces it. Default: false,
   * and the object gets copies of these members first.
   */
  readonly leavesOldMembers?: boolean;
  mutate?(request: AdmissionRequest): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/**
 * A policy that runs inside the server.
 * @example
 * const policies: AdmissionPlugin[] = [plugin("Names", [on(ConfigMap, "CREATE", { validate() {} })])];
 */
export interface AdmissionPlugin extends AdmissionRule {
  readonly name: string;
  handles(request: AdmissionRequest): boolean;
  /**
   * The rule for requests like this one, determined once for each kind, subresource and operation; undefined: they are not handled.
   * Absent: the plugin itself is the rule for all requests.
   */
  ruleFor?(target: RequestTarget): AdmissionRule | undefined;
}
