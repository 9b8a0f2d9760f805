/** The identity of a family: its origin, its group and its resource, as one value from which keys are made. */

/** `builtin`: declared in our source, in neutral names. `custom`: defined at run time, in the names users wrote. */
export type Origin = "builtin" | "custom";

declare const identity: unique symbol;

/**
 * "core/pods", "batch/cronjobs" for built-in families, under every vocabulary, and "custom:example.com/crontabs" for custom
 * ones. Always two segments. No group has a colon in its name, so no custom family can have the identity of a built-in one,
 * whatever its name. Families are compared by this, never by their names.
 */
export type FamilyId = string & { readonly [identity]: true };

/** What a declared kind says of its family; `hub` undefined: it is the hub itself. */
interface Member {
  readonly origin: Origin;
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly hub: Member | undefined;
}

/** The identity of the family that `kind` is a version of. */
export function familyIdOf(kind: Member): FamilyId {
  const { origin, group, resource, kind: name } = kind.hub ?? kind;
  if (origin === "builtin") return `${group || "core"}/${resource || name.toLowerCase()}` as FamilyId;
  for (const part of [group, resource]) {
    if (!customPart.test(part)) throw new Error(`"${part}" cannot be part of the name of a custom resource`);
  }
  return `custom:${group}/${resource}` as FamilyId;
}

/** What a definition may contain after its validation; a slash or a colon would make a key of another family. */
const customPart = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
