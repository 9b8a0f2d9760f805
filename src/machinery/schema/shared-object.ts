/**
 * The type of objects that may have members of the state before. Such a member belongs to everyone who reads that state, and is frozen:
 * it can be replaced, but not changed in place.
 *
 *   (pod: Shared<Pod>, old: Pod) => {
 *     pod.spec.priority = 1;                  does not compile
 *     pod.spec = { ...pod.spec, priority: 1 };
 *     const spec = ownMember(pod, old, "spec");
 *     if (spec !== undefined) spec.priority = 1;
 *   }
 */

/** A value in which nothing can be written. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** Metadata is always the object's own. */
export type Shared<T> = { [K in keyof T]: K extends "metadata" ? T[K] : DeepReadonly<T[K]> };

/** A member that the object does not have of `old`, to be changed in place. Undefined: it is shared, or absent. */
export function ownMember<T extends object, K extends keyof T>(
  object: Shared<NoInfer<T>>,
  old: T | undefined,
  name: K,
): T[K] | undefined {
  const member: unknown = object[name];
  return member === old?.[name] ? undefined : (member as T[K]); // made for this object alone
}
