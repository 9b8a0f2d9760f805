/** Objects in the user's editor: shown, changed, saved; a refusal is told in the terminal and the draft is kept. */

import { decodeYaml } from "../../machinery/codec/yaml.ts";
import { encodeYaml } from "../../machinery/codec/yaml-print.ts";
import type { ApiResource } from "../api/discovery.ts";
import type { Context } from "../context.ts";
import { edit, openDraft, readDraft, removeDraft } from "../editor.ts";
import { CtlError, describeError } from "../errors.ts";
import { forEachTarget } from "../input/targets.ts";
import { isJson, isSame, type Json, nameOf, object } from "../json.ts";
import { nameText, printResult } from "../output/formats.ts";
import { prettyJson } from "../output/go-json.ts";

export interface EditPlace {
  readonly resource: ApiResource;
  readonly namespace: string;
  readonly name: string;
}

export interface Editing {
  /** What the user sees of the object. */
  readonly show: (live: Json) => Json;
  readonly save: (place: EditPlace, edited: Json, before: Json) => Promise<Json>;
}

const advice = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

export async function editObjects(context: Context, editing: Editing): Promise<void> {
  const isJsonFormat = context.flags.text("output") === "json";
  const found: { place: EditPlace; shown: Json }[] = [];
  let failure: unknown;
  try {
    await forEachTarget(context, { allowLists: true }, async ({ resource, namespace, name, object: live }) => {
      found.push({ place: { resource, namespace, name }, shown: editing.show(live) });
    });
  } catch (error) {
    if (found.length === 0) throw error;
    failure = error; // told after the others have been edited
  }
  if (found.length === 0) throw new CtlError("edit cancelled, no objects found");
  for (const { place, shown } of found) await editOne(context, editing, { place, shown, isJsonFormat });
  if (failure !== undefined) throw failure;
}

async function editOne(
  context: Context,
  editing: Editing,
  one: { place: EditPlace; shown: Json; isJsonFormat: boolean },
): Promise<void> {
  const { place, shown, isJsonFormat } = one;
  const file = openDraft(isJsonFormat ? prettyJson(shown) : advice + encodeYaml(shown), isJsonFormat ? "json" : "yaml");
  for (;;) {
    const before = readDraft(file);
    await edit(file, context.environment);
    const after = readDraft(file);
    const content = after.replaceAll(/^#.*$/gm, "").trim();
    if (content === "") {
      removeDraft(file);
      throw new CtlError("Edit cancelled, saved file was empty.", { isBare: true });
    }
    try {
      const edited = parse(content);
      if (isSame(edited, shown) || after === before) {
        removeDraft(file);
        context.say("Edit cancelled, no changes made.");
        return;
      }
      if (nameOf(edited) !== nameOf(shown)) throw new CtlError("At least one of apiVersion, kind and name was changed");
      printResult(context, await editing.save(place, edited, shown), "edited");
      removeDraft(file);
      return;
    } catch (error) {
      context.say(`${describeError(error)}\n${nameText(shown)} was not changed; your draft is in ${file}`);
      if (!(await asksAgain(context)))
        throw new CtlError("Edit cancelled, no valid changes were saved.", { isBare: true });
    }
  }
}

/** Never by itself: without a person to ask, one failure is the end. */
async function asksAgain(context: Context): Promise<boolean> {
  const { stdin } = context.environment;
  if (!stdin.isTerminal) return false;
  context.say("Edit again? [Y/n]");
  return !/^n/i.test((await stdin.readLine()) ?? "n");
}

function parse(content: string): Json {
  const value = decodeYaml(Buffer.from(content));
  if (!isJson(value)) throw new CtlError("the object must be a mapping");
  return value;
}

/** Without what nobody edits. */
export function editable(live: Json): Json {
  const { managedFields: _, ...metadata } = object(live, "metadata");
  return { ...live, metadata };
}
