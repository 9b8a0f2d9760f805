/** Objects that do not exist yet, in the user's editor. */

import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import type { Context } from "../context.ts";
import { edit, openDraft, readDraft, removeDraft } from "../editor.ts";
import { CtlError } from "../errors.ts";
import { type Manifest, parseManifests } from "../input/manifests.ts";

export async function editNew(context: Context, manifests: readonly Manifest[]): Promise<Manifest[]> {
  const file = openDraft(manifests.map(({ object }) => encodeYaml(object)).join("---\n"), "yaml");
  await edit(file, context.environment);
  const content = readDraft(file);
  removeDraft(file);
  if (content.trim() === "") throw new CtlError("Edit cancelled, saved file was empty.", { isBare: true });
  return parseManifests(content, "edited");
}
