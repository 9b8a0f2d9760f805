/** Edits objects in the user's editor and saves them; an error is shown in the terminal and the draft is kept. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Context } from "../context.ts";
import { CtlError, describeError, throwFailures } from "../errors.ts";
import { forEachTarget } from "../input/targets.ts";
import { apiVersionOf, isSame, type Json, kindOf, list, nameOf, namespaceOf, nameText, object } from "../json.ts";
import { type DryRun, isList, printResult } from "../output/formats.ts";
import { type Draft, openDraft } from "./edit-draft.ts";

interface EditPlace {
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
}

interface Editing {
  /** The part of the object that the user sees. */
  readonly show: (live: Json) => Json;
  readonly save: (place: EditPlace, edited: Json, before: Json, dryRun: DryRun) => Promise<Json>;
}

interface Edited {
  readonly place: EditPlace;
  readonly shown: Json;
}

/** Several objects are one list in one draft. The editor is not opened if one of them cannot be read. */
export async function editObjects(context: Context, editing: Editing): Promise<void> {
  const found: Edited[] = [];
  await forEachTarget(context, { allowLists: true }, async ({ resource, namespace, name, object: live }) => {
    found.push({ place: { resource, namespace, name }, shown: editing.show(live) });
  });
  const [first] = found;
  if (first === undefined) throw new CtlError("edit cancelled, no objects found");
  const draft = openDraft(context, found.length === 1 ? first.shown : editableList(found.map(({ shown }) => shown)));
  for (;;) {
    const value = await draft.edit();
    if (value === undefined) {
      context.say("Edit cancelled, no changes made.");
      return;
    }
    try {
      await saveAll(context, editing, found, value());
      draft.remove();
      return;
    } catch (error) {
      await tellAndAsk(context, draft, error, found);
    }
  }
}

async function saveAll(context: Context, editing: Editing, found: readonly Edited[], value: Json): Promise<void> {
  const edited = (isList(value) ? list(value, "items") : [value]).map((after) => {
    const one = found.find(({ shown }) => isSameObject(shown, after));
    if (one === undefined) throw new CtlError("At least one of apiVersion, kind and name was changed");
    return { ...one, after };
  });
  const changed = edited.filter(({ after, shown }) => !isSame(after, shown));
  // Several objects are all saved or none, as far as a dry run can tell.
  if (changed.length > 1 && context.behaviour.savesAllOrNone) await saveEach(changed, "server");
  for (const { shown } of edited.filter((one) => !changed.includes(one))) printResult(context, shown, "skipped");
  await saveEach(changed, "none");

  async function saveEach(objects: typeof changed, dryRun: DryRun): Promise<void> {
    const failures: unknown[] = [];
    for (const { place, after, shown } of objects) {
      try {
        const saved = await editing.save(place, after, shown, dryRun);
        if (dryRun === "none") printResult(context, saved, "edited");
      } catch (error) {
        failures.push(error);
      }
    }
    throwFailures(failures);
  }
}

const isSameObject = (a: Json, b: Json): boolean =>
  [apiVersionOf, kindOf, nameOf, namespaceOf].every((of) => of(a) === of(b));

async function tellAndAsk(
  context: Context,
  draft: Draft,
  error: unknown,
  found: readonly { shown: Json }[],
): Promise<void> {
  const names = found.map(({ shown }) => nameText(shown)).join(", ");
  context.say(`${describeError(error)}\n${names} was not changed; your draft is in ${draft.file}`);
  if (!(await asksAgain(context))) throw new CtlError("Edit cancelled, no valid changes were saved.", { isBare: true });
}

/** Never reopens the editor by itself: without a user to ask, one failure ends the command. */
async function asksAgain(context: Context): Promise<boolean> {
  const { stdin } = context.environment;
  if (!stdin.isTerminal) return false;
  context.say("Edit again? [Y/n]");
  const answer = await stdin.readLine();
  context.signal.throwIfAborted();
  return !/^n/i.test(answer ?? "n");
}

export function editableList(items: readonly Json[]): Json {
  return { apiVersion: "v1", items, kind: "List", metadata: {} };
}

/** Without the fields that are never edited. */
export function editable(live: Json): Json {
  const { managedFields: _, ...metadata } = object(live, "metadata");
  return { ...live, metadata };
}
