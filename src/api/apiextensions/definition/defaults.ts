/** The defaults of a definition: its derived names, and the versions in which objects are stored. */

interface Names {
  singular?: string;
  kind: string;
  listKind?: string;
}
interface Definition {
  spec: { versions?: readonly { readonly name: string; readonly storage: boolean }[] | null };
  status?: { storedVersions: string[] | null };
}

export function defaultNames(names: Names): void {
  if (!names.singular && names.kind !== "") names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind !== "") names.listKind = `${names.kind}List`;
}

const storageVersion = ({ spec }: Definition): string | undefined =>
  (spec.versions ?? []).find(({ storage }) => storage)?.name;

/** A status that names no version means the one that objects are stored in. */
export function defaultStoredVersions(definition: Definition): void {
  const stored = storageVersion(definition);
  if (definition.status && (definition.status.storedVersions ?? []).length === 0 && stored !== undefined)
    definition.status.storedVersions = [stored];
}

/** From now on objects may be stored in the storage version, so the status must name it. */
export function noteStoredVersion(definition: Definition): void {
  const stored = storageVersion(definition);
  const { status } = definition;
  if (status === undefined || stored === undefined) return;
  const known = status.storedVersions ?? [];
  if (!known.includes(stored)) status.storedVersions = [...known, stored];
}
