/** Which of the classes of one kind is the default: an annotation says so. */

import type { ObjectMeta } from "../machinery/schema/object-meta.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** Annotations in orch's names, one of which says "true"; the second is how the first was spelled before it was stable. */
export const storageClassMarks = [
  "storageclass.orch.io/is-default-class",
  "storageclass.beta.orch.io/is-default-class",
];

export const isDefaultClass = ({ annotations }: ObjectMeta, marks: readonly string[], { word }: Vocabulary): boolean =>
  marks.some((mark) => annotations?.[word(mark)] === "true");

/** The names of the classes that are the default, the newest first. */
export function defaultClasses(
  classes: Iterable<{ readonly metadata: ObjectMeta }>,
  marks: readonly string[],
  vocabulary: Vocabulary,
): string[] {
  return [...classes]
    .map(({ metadata }) => metadata)
    .filter((metadata) => isDefaultClass(metadata, marks, vocabulary))
    .sort(newestFirst)
    .map(({ name = "" }) => name);
}

/** Those of one second by their names. */
function newestFirst(a: ObjectMeta, b: ObjectMeta): number {
  const [made, other] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (made !== other) return made > other ? -1 : 1;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}
