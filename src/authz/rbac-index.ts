/**
 * Roles and bindings, indexed so that a decision reads only what concerns the caller: subject, then namespace, then
 * verb, then resource. A thousand bindings of others cost nothing.
 *
 *   RoleBinding dev/b { subjects: [User ann], roleRef: Role r }, Role dev/r { get configmaps }
 *   subjects: "u~ann" -> scopes: "dev" -> bindings: "b" -> RoleBinding
 *                                      -> grants (made when first asked): get -> configmaps -> [rule of dev/r by b]
 */

import type { User } from "../machinery/meta/user.ts";
import type { Attributes } from "./contract.ts";
import { type CompiledRule, compileRule, type PolicyRule } from "./policy-rule.ts";
import { type Grant, Grants } from "./rbac-grants.ts";
import { nameKey, type SubjectNames } from "./subject-names.ts";

export interface BindingSubject {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string;
  readonly namespace?: string;
}
export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}
export interface Binding {
  /** "": cluster-wide. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly BindingSubject[];
}
export interface Role {
  /** "": a ClusterRole. */
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly CompiledRule[];
}

/** A binding that applies to a user, and the subject through which it does. */
export interface AppliedBinding {
  readonly binding: Binding;
  readonly subject: BindingSubject;
}

interface Scope {
  readonly bindings: Map<string, AppliedBinding>;
  /** Undefined: not yet built from the bindings. */
  grants: Grants | undefined;
}

export class RbacIndex {
  readonly #names: SubjectNames;
  readonly #roles = new Map<string, Role>();
  readonly #bindings = new Map<string, Binding>();
  /** Subject key -> namespace ("" for cluster-wide) -> what is bound there. */
  readonly #subjects = new Map<string, Map<string, Scope>>();
  /** Role key -> the bindings that name it. */
  readonly #users = new Map<string, Set<Binding>>();

  /** Users of a connection or a token are one object for many requests, so their keys are computed once. */
  readonly #keys = new WeakMap<User, readonly string[]>();

  constructor(names: SubjectNames) {
    this.#names = names;
  }

  setRole(namespace: string, name: string, rules: readonly PolicyRule[] | null | undefined): void {
    this.putRole({ namespace, name, rules: (rules ?? []).map(compileRule) });
  }

  /** As setRole, with rules that were compiled before. */
  putRole(role: Role): void {
    const key = roleKey(role.namespace, role.name);
    this.#roles.set(key, role);
    this.#forgetGrants(key);
  }

  deleteRole(namespace: string, name: string): void {
    this.#roles.delete(roleKey(namespace, name));
    this.#forgetGrants(roleKey(namespace, name));
  }

  setBinding(binding: Binding): void {
    const key = bindingKey(binding.namespace, binding.name);
    const old = this.#bindings.get(key);
    // It may have tens of thousands of subjects, and anyone who may label it changes it.
    if (old !== undefined && bindsTheSame(old, binding)) return;
    this.deleteBinding(binding.namespace, binding.name);
    this.#bindings.set(key, binding);
    const role = roleKeyOf(binding);
    const users = this.#users.get(role);
    if (users === undefined) this.#users.set(role, new Set([binding]));
    else users.add(binding);
    for (const subject of binding.subjects) this.#bind(binding, subject);
  }

  deleteBinding(namespace: string, name: string): void {
    const key = bindingKey(namespace, name);
    const old = this.#bindings.get(key);
    if (old === undefined) return;
    this.#bindings.delete(key);
    const users = this.#users.get(roleKeyOf(old));
    users?.delete(old);
    if (users?.size === 0) this.#users.delete(roleKeyOf(old));
    for (const subject of old.subjects) this.#unbind(old, subject);
  }

  /** The role that a binding names; a Role must be in the binding's namespace. Undefined: it does not exist. */
  roleOf(binding: Pick<Binding, "namespace" | "roleRef">): Role | undefined {
    return this.#roles.get(roleKeyOf(binding));
  }

  bindings(): Iterable<Binding> {
    return this.#bindings.values();
  }

  /** What the user's subjects are granted cluster-wide, then in the namespace ("": cluster-wide only). */
  grantsFor(user: User, namespace: string): readonly Grants[] {
    return this.#scopesOf(user, namespace).map((scope) => this.#grantsOf(scope));
  }

  /** The first rule that allows the request, of all rules that apply to its user. */
  findGrant(asked: Attributes): Grant | undefined {
    const keys = this.#keysOf(asked.user);
    for (const namespace of asked.isResource && asked.namespace !== "" ? ["", asked.namespace] : [""]) {
      for (const key of keys) {
        const scope = this.#subjects.get(key)?.get(namespace);
        const grant = scope === undefined ? undefined : this.#grantsOf(scope).find(asked);
        if (grant !== undefined) return grant;
      }
    }
    return undefined;
  }

  /** The bindings that apply to the user, each once: cluster-wide ones first, in the order of their names. */
  bindingsFor(user: User, namespace: string): readonly AppliedBinding[] {
    const found = new Map<string, AppliedBinding>();
    for (const scope of this.#scopesOf(user, namespace)) {
      for (const applied of scope.bindings.values()) {
        const key = bindingKey(applied.binding.namespace, applied.binding.name);
        if (!found.has(key)) found.set(key, applied);
      }
    }
    return [...found.values()].sort((a, b) => order(a.binding, b.binding));
  }

  #scopesOf(user: User, namespace: string): Scope[] {
    const subjects = this.#keysOf(user).flatMap((key) => this.#subjects.get(key) ?? []);
    const inScope = (name: string) => subjects.flatMap((scopes) => scopes.get(name) ?? []);
    return namespace === "" ? inScope("") : [...inScope(""), ...inScope(namespace)];
  }

  #grantsOf(scope: Scope): Grants {
    if (scope.grants === undefined) {
      scope.grants = new Grants();
      for (const applied of scope.bindings.values()) scope.grants.add(applied, this.roleOf(applied.binding));
    }
    return scope.grants;
  }

  #keysOf(user: User): readonly string[] {
    let keys = this.#keys.get(user);
    if (keys === undefined) {
      const groups = user.groups.map((group) => `g${nameKey(group, this.#names)}`);
      keys = [`u${nameKey(user.name, this.#names)}`, ...groups];
      this.#keys.set(user, keys);
    }
    return keys;
  }

  #bind(binding: Binding, subject: BindingSubject): void {
    const key = subjectKey(binding, subject, this.#names);
    if (key === undefined) return;
    const scopes = this.#subjects.get(key) ?? new Map<string, Scope>();
    this.#subjects.set(key, scopes);
    const scope = scopes.get(binding.namespace) ?? { bindings: new Map<string, AppliedBinding>(), grants: undefined };
    scopes.set(binding.namespace, scope);
    if (scope.bindings.has(binding.name)) return; // named twice
    const applied: AppliedBinding = { binding, subject };
    scope.bindings.set(binding.name, applied);
    scope.grants?.add(applied, this.roleOf(binding));
  }

  #unbind(binding: Binding, subject: BindingSubject): void {
    const key = subjectKey(binding, subject, this.#names);
    const scopes = key === undefined ? undefined : this.#subjects.get(key);
    const scope = scopes?.get(binding.namespace);
    if (key === undefined || scopes === undefined || scope === undefined) return;
    scope.bindings.delete(binding.name);
    scope.grants = undefined;
    if (scope.bindings.size === 0) scopes.delete(binding.namespace);
    if (scopes.size === 0) this.#subjects.delete(key);
  }

  #forgetGrants(role: string): void {
    for (const binding of this.#users.get(role) ?? []) {
      for (const subject of binding.subjects) {
        const key = subjectKey(binding, subject, this.#names);
        const scope = key === undefined ? undefined : this.#subjects.get(key)?.get(binding.namespace);
        if (scope !== undefined) scope.grants = undefined;
      }
    }
  }
}

export type { Grant };

/** Undefined: the subject matches no user (another kind, an account without a namespace). */
function subjectKey(binding: Binding, subject: BindingSubject, names: SubjectNames): string | undefined {
  switch (subject.kind) {
    case "User":
      return `u${nameKey(subject.name, names)}`;
    case "Group":
      return `g${nameKey(subject.name, names)}`;
    case "ServiceAccount": {
      const namespace = subject.namespace || binding.namespace;
      if (namespace === "") return undefined;
      return `u${nameKey(`system:serviceaccount:${namespace}:${subject.name}`, names)}`;
    }
    default:
      return undefined;
  }
}

/** Whether two states of a binding give the same roles to the same subjects. */
function bindsTheSame(a: Binding, b: Binding): boolean {
  if (a.roleRef.kind !== b.roleRef.kind || a.roleRef.name !== b.roleRef.name || a.subjects.length !== b.subjects.length)
    return false;
  return a.subjects.every((subject, at) => {
    const other = b.subjects[at];
    return subject.kind === other?.kind && subject.name === other.name && subject.namespace === other.namespace;
  });
}

const roleKey = (namespace: string, name: string) => `${namespace}/${name}`;
const bindingKey = (namespace: string, name: string) => `${namespace}/${name}`;

/** A reference to neither kind of role gets a key that no role has. */
function roleKeyOf({ namespace, roleRef }: Pick<Binding, "namespace" | "roleRef">): string {
  if (roleRef.kind === "ClusterRole") return roleKey("", roleRef.name);
  return roleRef.kind === "Role" && namespace !== "" ? roleKey(namespace, roleRef.name) : `?${roleRef.kind}`;
}

function order(a: Binding, b: Binding): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
