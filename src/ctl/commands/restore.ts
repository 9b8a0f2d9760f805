/** `restore` and `undo`: ordinary writes that make an object what it was. */

import { type FlagValues, string, stringArray } from "../../base/flags/flag.ts";
import type { DiscoveredResource, Ref } from "../../client/contract.ts";
import { fieldChanges } from "../../machinery/json/field-changes.ts";
import { isWrittenSame, restored, revisionBefore, withFieldOf, withoutChange } from "../../operations/past.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { dryRunFlag, fieldManagerFlag, printFlags } from "../flags/declared.ts";
import { revisionOf } from "../input/causes.ts";
import { findServed, namedObjects } from "../input/lookups.ts";
import { findChange, momentOf, stateAt } from "../input/past.ts";
import { type Json, text } from "../json.ts";
import { type DryRun, dryRunOf, outputOf, printResult } from "../output/formats.ts";
import { createAgain } from "../write/create-again.ts";
import { restoreNamespace } from "../write/restore-namespace.ts";
import { whileOthersWrite } from "../write/while-others-write.ts";
import { managerOf, writeOptions } from "../write/write-options.ts";

const writeFlags = { ...printFlags, ...dryRunFlag };
const restoreFlags = {
  ...writeFlags,
  ...fieldManagerFlag("restore"),
  at: string("The time of the state, or how long ago: 10m"),
  field: stringArray("Only this field, as history names it; repeat it for several"),
};
const undoFlags = { ...writeFlags, ...fieldManagerFlag("undo") };

export const restore = command({
  name: "restore",
  summary: "Make an object what it was, or all objects of a namespace",
  usage: "(TYPE NAME | TYPE/NAME | -n NAMESPACE) --at=10m",
  description:
    "Writes its labels, annotations and all fields but the status as they were; an object that is gone is created again, with a new uid. With a namespace alone, what people and programs wrote there: objects are changed, created again, and deleted if they were not there. The server tries all of it before any of it is written.",
  examples: `ctl restore deploy/web --at=10m
ctl restore -n shop --at=10m --dry-run=server
ctl restore deploy/web --at=10m --field=spec.replicas
ctl restore deploy/web --at=2026-11-18T10:00:00Z --dry-run=server -o yaml`,
  flags: restoreFlags,
  async run(context: Context<FlagValues<typeof restoreFlags>>) {
    if (context.flags.at === "") throw new UsageError("restore needs --at: a time, or how long ago");
    const atTime = momentOf(context, context.flags.at, "at");
    if (context.args.length === 0) {
      const { namespace } = context.flags;
      if (!namespace)
        throw new UsageError("restore needs an object, or -n with the namespace of which all is restored");
      if (context.flags.field.length > 0) throw new UsageError("--field is for one object");
      return restoreNamespace(context, namespace, atTime);
    }
    for (const { resource, ref } of await namedObjects(context)) {
      const past = await stateAt(context, resource, ref, { atTime });
      if (past === undefined) throw new CtlError(`${resource.resource}/${ref.name} was not there at ${atTime}`);
      await whileOthersWrite(context, async () => {
        const now = await context.session.find(resource, ref);
        if (now !== undefined)
          return write(context, { resource, value: restoredIn(now, past, context.flags.field), now, verb: "restore" });
        if (context.flags.field.length > 0)
          throw new CtlError(`${resource.resource}/${ref.name} is gone; restore it without --field`);
        await createAgain(context, { resource, past, verb: "restore" });
      });
    }
  },
});

/** All that a person writes, or these fields of it. */
function restoredIn(now: Json, past: Json, fields: readonly string[]): Json {
  if (fields.length === 0) return restored(now, past);
  return fields.reduce((object, field) => {
    if (/^(status|metadata\.(?!labels|annotations))/.test(field))
      throw new UsageError(`--field=${field}: only labels, annotations and fields outside of metadata and status`);
    const next = withFieldOf(object, past, field);
    if (next === undefined) throw new UsageError(`--field=${field} is not in the object, and was not then`);
    return next;
  }, now);
}

export const undo = command({
  name: "undo",
  summary: "Take back changes, if nobody has changed the same fields since",
  usage: "CHANGE [CHANGE ...]",
  description:
    "CHANGE is the number that `history` shows. What others have changed since stays; if they changed the same fields, nothing is written, and the fields are named. The server is asked first whether it would take the write, and what it makes of it is printed. Of several changes the newest is taken back first.",
  examples: `ctl history deploy/web
ctl undo 4711 --dry-run=server -o yaml
ctl undo 4711
ctl undo 4711 4708 4705`,
  flags: undoFlags,
  async run(context: Context<FlagValues<typeof undoFlags>>) {
    const numbers = [...new Set(context.args)];
    if (numbers.length === 0 || !numbers.every((number) => /^[0-9]{1,18}(-[0-9]{1,3})?$/.test(number)))
      throw new UsageError("undo takes the numbers of changes, which history shows");
    const changes: Json[] = [];
    for (const number of numbers) {
      const change = await findChange(context, number);
      if (change === undefined) throw new CtlError(`there is no change ${number}, or you may not get its object`);
      changes.push(change);
    }
    changes.sort((a, b) => Number(revisionOf(b) - revisionOf(a)));
    for (const change of changes) await whileOthersWrite(context, () => undoChange(context, change));
  },
});

async function undoChange(context: Context, change: Json): Promise<void> {
  const [group, name] = [text(change, "object", "group"), text(change, "object", "name")];
  const [version, kind] = [text(change, "object", "version"), text(change, "object", "kind")];
  const namespace = text(change, "object", "namespace");
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const resource = await findServed(context, (discovery) => discovery.byKind(apiVersion, kind));
  if (resource === undefined) throw new CtlError(`the server no longer serves ${kind} of ${apiVersion}`);
  const ref: Ref = namespace === "" ? { name } : { namespace, name };
  const number = text(change, "metadata", "name");
  const before = await stateAt(context, resource, ref, { resourceVersion: revisionBefore(number) });
  const after = await stateAt(context, resource, ref, { resourceVersion: number.split("-")[0]! });
  const now = await context.session.find(resource, ref);
  const label = `${resource.resource}/${name}`;
  if (after === undefined) {
    if (now !== undefined) throw new CtlError(`change ${number} deleted ${label}, and there is one again`);
    if (before !== undefined) await createAgain(context, { resource, past: before, verb: "undo" });
    return;
  }
  if (now === undefined) throw new CtlError(`${label} has been deleted since; undelete creates it again`);
  const result = before === undefined ? undefined : withoutChange({ before, after, now });
  if (result === undefined && !isWrittenSame(after, now))
    throw new CtlError(`change ${number} created ${label}, which has been changed since; delete it if you mean to`);
  if (result !== undefined && result.conflicts.length > 0)
    throw new CtlError(
      `change ${number} cannot be undone: ${result.conflicts.join(", ")} of ${label} changed again since`,
    );
  const dryRun = dryRunOf(context);
  if (result === undefined) {
    const resourceVersion = text(now, "metadata", "resourceVersion");
    const remove = (isTrial: boolean) => context.at(resource).delete(ref, { dryRun: isTrial, resourceVersion });
    if (dryRun !== "client") await remove(true);
    if (dryRun === "none") await remove(false);
    printResult(context, now, "deleted", dryRun);
    return;
  }
  await write(context, { resource, value: result.object, now, verb: "undo" });
}

interface Written {
  readonly resource: DiscoveredResource;
  readonly value: Json;
  readonly now: Json;
  readonly verb: "restore" | "undo";
}

async function write(context: Context, { resource, value, now, verb }: Written): Promise<void> {
  const dryRun = dryRunOf(context);
  const manager = managerOf(context, verb);
  // With the resourceVersion that was read: whoever is faster is not overwritten.
  const send = (run: DryRun) => context.at(resource).update(value, writeOptions(manager, run));
  const trial = dryRun === "client" ? value : await send("server");
  const made = dryRun === "none" ? await send("none") : trial;
  if (outputOf(context).format === "")
    for (const { path, old, new: is } of fieldChanges(now, trial).fields)
      if (!ofServer.test(path)) context.note(`${path}: ${old ?? "-"} -> ${is ?? "-"}`);
  printResult(context, made, verb === "undo" ? "undone" : "restored", dryRun);
}

const ofServer = /^(status|metadata\.(resourceVersion|generation))\b/;
