/** How tables show what volumes and claims have in common. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { ObjectMeta } from "../../../../machinery/schema/object-meta.ts";

const shortModes = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** `RWO,ROX` in a fixed order. */
export const accessModesText = (modes: readonly string[] | undefined): string =>
  shortModes
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");

/** In orch's names; older than the field that replaced it. */
export const storageClassAnnotation = "volume.beta.orch.io/storage-class";

/** The class by name; "" for none. */
export function storageClassOf(
  { metadata, spec }: { readonly metadata: ObjectMeta; readonly spec?: { readonly storageClassName?: string } },
  { vocabulary }: Environment,
): string {
  return metadata.annotations?.[vocabulary.word(storageClassAnnotation)] ?? spec?.storageClassName ?? "";
}
