/** Plugins in terms of kinds: `on(Pod, "CREATE", …)` names the requests that a plugin handles and types their objects. */

import { type BoundKind, isVersionOf } from "../machinery/schema/catalog.ts";
import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import type { Shared } from "../machinery/schema/shared-object.ts";
import type { AdmissionRequest, Operation } from "../registry/contract/admission.ts";
import type { AdmissionPlugin, AdmissionRule, RequestTarget } from "./contract.ts";

/** What all objects have. Interfaces of kinds are of this type; they have no other members by any name. */
type TargetObject = Pick<ApiObject, "apiVersion" | "kind" | "metadata">;

/**
 * A kind by its names, in orch's words: those of "orch/client", and what `defineResource` returns. The version is that in which the server admits
 * objects: the hub version of built-in kinds, each version of custom ones.
 * @example
 * const Toy: NamedTarget = { group: "example.com", version: "v1", kind: "Toy" };
 */
export interface NamedTarget<T = TargetObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural name of paths. */
  readonly resource: string;
  /** Only for the type checker; never set. */
  readonly static?: T;
}

/**
 * A path under the objects of a kind. `T` is the type of the object: the parent, or the kind that clients send.
 * @example
 * const status: Under<Pod> = under(Pod, "status");
 */
export interface Under<T> {
  readonly parent: NamedTarget;
  /** "*": the object itself and every path under it. */
  readonly subresource: string;
  /** Only for the type checker; never set. */
  readonly static?: T;
}

/**
 * `under(Pod, "status")`; `under(Pod, "eviction", Eviction)` where clients send objects of another kind.
 * @example
 * on(under(Pod, "eviction"), "CREATE", { validate() {} });
 */
export function under<T>(parent: NamedTarget<T>, subresource: string): Under<T>;
export function under<T>(parent: NamedTarget, subresource: string, sent: NamedTarget<T>): Under<T>;
export function under(parent: NamedTarget, subresource: string): Under<TargetObject> {
  return { parent, subresource };
}

type PluginTarget = NamedTarget | Under<TargetObject>;
/** The type of the objects of a target. */
type ObjectOf<K extends PluginTarget> = NonNullable<K["static"]>;

/**
 * A request about objects of a known kind. On CONNECT the object is the options of the connection.
 * @example
 * const validate = ({ object, user }: RequestOn<ConfigMap, "CREATE">) => check(object, user.name);
 */
export type RequestOn<T extends TargetObject, O extends Operation = "CREATE" | "UPDATE"> = Omit<
  AdmissionRequest,
  "operation" | "object" | "old"
> & {
  readonly operation: O;
  readonly object: O extends "DELETE" ? undefined : O extends "CONNECT" ? ApiObject : T;
  readonly old: O extends "CREATE" | "CONNECT" ? undefined : T;
};

/**
 * How a plugin handles requests for some targets.
 * @example
 * const rule: PluginRule = on(ConfigMap, "CREATE", { validate() {} });
 */
export interface PluginRule extends Omit<AdmissionRule, "handles"> {
  matches(target: RequestTarget): boolean;
}

interface Handlers<T extends TargetObject, O extends Operation> {
  readonly leavesOldMembers?: false;
  mutate?(request: RequestOn<T, O>): void | Promise<void>;
  validate?(request: RequestOn<T, O>): void | Promise<void>;
}

/** Handlers for objects that may have members of `old`. */
interface SharingHandlers<T extends TargetObject, O extends Operation> {
  readonly leavesOldMembers: true;
  mutate?(request: SharingRequest<T, O>): void | Promise<void>;
  validate?(request: RequestOn<T, O>): void | Promise<void>;
}

type SharingRequest<T extends TargetObject, O extends Operation> = Omit<RequestOn<T, O>, "object"> & {
  readonly object: O extends "DELETE" ? undefined : O extends "CONNECT" ? ApiObject : Shared<T>;
};

/**
 * For requests with one of `operations` about one of `targets`; a bare kind means its objects themselves.
 * @example
 * on(ConfigMap, ["CREATE", "UPDATE"], { validate: ({ object }) => check(object) });
 */
export function on<const K extends PluginTarget, const O extends Operation>(
  targets: K | readonly K[],
  operations: O | readonly O[],
  handlers: Handlers<ObjectOf<K>, O> | SharingHandlers<ObjectOf<K>, O>,
): PluginRule {
  const { leavesOldMembers = false } = handlers;
  // `matches` has checked that the types of the handlers are right.
  const { mutate, validate } = handlers as Handlers<ApiObject, Operation>;
  return {
    matches: (target) => isAbout(target, targets, operations),
    leavesOldMembers,
    ...(mutate ? { mutate: (request) => mutate(request as RequestOn<ApiObject, Operation>) } : {}),
    ...(validate ? { validate: (request) => validate(request as RequestOn<ApiObject, Operation>) } : {}),
  };
}

/** Checks for plugins that handle every kind, and do more for some. */
export function isOn<const K extends PluginTarget, const O extends Operation>(
  request: AdmissionRequest,
  targets: K | readonly K[],
  operations: O | readonly O[],
): request is RequestOn<ObjectOf<K>, O> {
  return isAbout(request, targets, operations);
}

function isAbout<K extends PluginTarget>(
  request: RequestTarget,
  targets: K | readonly K[],
  operations: Operation | readonly Operation[],
): boolean {
  if (!includes<Operation>(operations, request.operation)) return false;
  return Array.isArray(targets)
    ? (targets as readonly K[]).some((target) => isAt(request, target))
    : isAt(request, targets as K);
}

/**
 * A plugin of several rules. Each request is handled by the first rule that matches it.
 * @example
 * createServer({ admission: [plugin("Names", [on(ConfigMap, "CREATE", { validate() {} })])] });
 */
export function plugin(name: string, rules: readonly PluginRule[]): AdmissionPlugin {
  const ruleFor = (target: RequestTarget) => rules.find((rule) => rule.matches(target));
  return {
    name,
    ruleFor,
    handles: (request) => ruleFor(request) !== undefined,
    ...(rules.some(({ mutate }) => mutate) ? { mutate: (request) => ruleFor(request)?.mutate?.(request) } : {}),
    ...(rules.some(({ validate }) => validate) ? { validate: (request) => ruleFor(request)?.validate?.(request) } : {}),
  };
}

/**
 * By declaration, so a custom kind of the same name never matches. Any version of the kind's own group will do; another group
 * that serves the same objects (ingresses of "extensions") is another matter to plugins, as in v1.21.
 */
function isAt({ kind, subresource }: RequestTarget, target: PluginTarget): boolean {
  const isUnder = "parent" in target;
  const wanted = isUnder ? target.parent : target;
  const isIt = isDeclared(wanted) ? isVersionOf(kind, wanted) : isNamed(kind.hub, wanted);
  if (!isIt || kind.declaration.group !== wanted.group) return false;
  return isUnder ? target.subresource === "*" || target.subresource === subresource : subresource === "";
}

/** A declared kind has the names, too. */
const isDeclared = (kind: NamedTarget): kind is NamedTarget & Kind => "schema" in kind;

function isNamed({ declaration, version, kind }: BoundKind, wanted: NamedTarget): boolean {
  return declaration.group === wanted.group && version === wanted.version && kind === wanted.kind;
}

const includes = <V>(list: V | readonly V[], value: V): boolean =>
  Array.isArray(list) ? list.includes(value) : list === value;
