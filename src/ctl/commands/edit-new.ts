/** Objects that do not exist yet, in the user's editor. */

import type { Context } from "../context.ts";
import type { Manifest } from "../input/manifests.ts";
import { list } from "../json.ts";
import { isList } from "../output/formats.ts";
import { openDraft } from "./edit-draft.ts";
import { editableList } from "./edit-objects.ts";

interface NewObjects {
  readonly manifests: readonly Manifest[];
  /** Called when all of them are created. Until then the draft is kept. */
  readonly done: () => void;
  /** Prints where the draft is. */
  readonly keep: () => void;
}

/** Undefined: the user changed nothing, so nothing is created. */
export async function editNew(context: Context, manifests: readonly Manifest[]): Promise<NewObjects | undefined> {
  const [first] = manifests;
  if (first === undefined) return { manifests: [], done: () => {}, keep: () => {} };
  const draft = openDraft(
    context,
    manifests.length === 1 ? first.object : editableList(manifests.map(({ object }) => object)),
  );
  const keep = () => context.say(`your draft is in ${draft.file}`);
  const read = await draft.edit();
  if (read === undefined) return undefined;
  try {
    const value = read();
    const objects = isList(value) ? list(value, "items") : [value];
    return {
      manifests: objects.map((object) => ({ object, source: "edited", line: 1 })),
      done: () => draft.remove(),
      keep,
    };
  } catch (error) {
    keep();
    throw error;
  }
}
