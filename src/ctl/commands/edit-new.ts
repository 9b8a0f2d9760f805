/** Objects that do not exist yet, in the user's editor. */

import type { Context } from "../context.ts";
import type { Manifest } from "../input/manifests.ts";
import { list } from "../json.ts";
import { isList } from "../output/formats.ts";
import { openDraft } from "./edit-draft.ts";
import { editableList } from "./edit-objects.ts";

/** Undefined: the user changed nothing, so nothing is created. */
export async function editNew(context: Context, manifests: readonly Manifest[]): Promise<Manifest[] | undefined> {
  const [first] = manifests;
  if (first === undefined) return [];
  const draft = openDraft(
    context,
    manifests.length === 1 ? first.object : editableList(manifests.map(({ object }) => object)),
  );
  const read = await draft.edit();
  if (read === undefined) return undefined;
  const value = read();
  draft.remove();
  return (isList(value) ? list(value, "items") : [value]).map((object) => ({ object, source: "edited", line: 1 }));
}
