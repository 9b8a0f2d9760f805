/** `restore`, `undelete` and `undo`: ordinary writes that make an object what it was. */

import { type FlagValues, string } from "../../base/flags/flag.ts";
import type { DiscoveredResource, Ref } from "../../client/contract.ts";
import { createdAgain, isWrittenSame, restored, revisionBefore, withoutChange } from "../../operations/past.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { dryRunFlag, fieldManagerFlag, printFlags } from "../flags/declared.ts";
import { findLookups, findServed, type Lookup } from "../input/lookups.ts";
import { aboutObject, findChanges, momentOf, stateAt } from "../input/past.ts";
import { type Json, text } from "../json.ts";
import { dryRunOf, printResult } from "../output/formats.ts";
import { managerOf, writeOptions } from "../write/write-options.ts";

const writeFlags = { ...printFlags, ...dryRunFlag };
const restoreFlags = {
  ...writeFlags,
  ...fieldManagerFlag("restore"),
  at: string("The time of the state, or how long ago: 10m"),
};
const undeleteFlags = { ...writeFlags, ...fieldManagerFlag("undelete") };
const undoFlags = { ...writeFlags, ...fieldManagerFlag("undo") };

export const restore = command({
  name: "restore",
  summary: "Make an object what it was",
  usage: "(TYPE NAME | TYPE/NAME) --at=10m",
  description:
    "Writes its labels, annotations and all fields but the status as they were; an object that is gone is created again, with a new uid.",
  examples: `ctl restore deploy/web --at=10m
ctl restore deploy/web --at=2026-11-18T10:00:00Z --dry-run=server -o yaml`,
  flags: restoreFlags,
  async run(context: Context<FlagValues<typeof restoreFlags>>) {
    if (context.flags.at === "") throw new UsageError("restore needs --at: a time, or how long ago");
    const atTime = momentOf(context, context.flags.at, "at");
    for (const { resource, ref } of await namedOf(context)) {
      const past = await stateAt(context, resource, ref, { atTime });
      if (past === undefined) throw new CtlError(`${resource.resource}/${ref.name} was not there at ${atTime}`);
      await makeSo(context, { resource, ref, past, verb: "restore" });
    }
  },
});

export const undelete = command({
  name: "undelete",
  summary: "Create a deleted object again, as it was last",
  usage: "(TYPE NAME | TYPE/NAME)",
  examples: `ctl undelete configmap/prices`,
  flags: undeleteFlags,
  async run(context: Context<FlagValues<typeof undeleteFlags>>) {
    for (const { resource, ref } of await namedOf(context)) {
      const about = [...aboutObject(resource, ref.name), "operation=delete"];
      const [change] = await findChanges(context, ref.namespace ?? "", about, 1);
      const name = `${resource.resource}/${ref.name}`;
      if (change === undefined) throw new CtlError(`no delete of ${name} is kept`);
      if ((await context.session.find(resource, ref)) !== undefined) throw new CtlError(`${name} is there`);
      const past = await stateAt(context, resource, ref, {
        resourceVersion: revisionBefore(text(change, "metadata", "name")),
      });
      if (past === undefined) throw new CtlError(`the state of ${name} before its delete is no longer kept`);
      await makeSo(context, { resource, ref, past, verb: "undelete" });
    }
  },
});

export const undo = command({
  name: "undo",
  summary: "Take back one change, if nobody has changed the same fields since",
  usage: "CHANGE",
  description:
    "CHANGE is the number that `history` shows. What others have changed since stays; if they changed the same fields, nothing is written, and the fields are named.",
  examples: `ctl history deploy/web
ctl undo 4711 --dry-run=server -o yaml
ctl undo 4711`,
  flags: undoFlags,
  async run(context: Context<FlagValues<typeof undoFlags>>) {
    const [number = "", ...more] = context.args;
    if (!/^[0-9]+$/.test(number) || more.length > 0)
      throw new UsageError("undo takes the number of one change, which history shows");
    const [change] = [
      ...(await findChanges(context, context.namespace, [`metadata.name=${number}`], 1)),
      ...(await findChanges(context, "", [`metadata.name=${number}`], 1).catch(() => [])),
    ];
    if (change === undefined) throw new CtlError(`there is no change ${number}, or you may not get its object`);
    await undoChange(context, change);
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
  const after = await stateAt(context, resource, ref, { resourceVersion: number });
  const now = await context.session.find(resource, ref);
  const label = `${resource.resource}/${name}`;
  if (after === undefined) {
    if (now !== undefined) throw new CtlError(`change ${number} deleted ${label}, and there is one again`);
    if (before !== undefined) await makeSo(context, { resource, ref, past: before, verb: "undo" });
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
    if (dryRun !== "client") await context.at(resource).delete(ref, { dryRun: dryRun === "server", resourceVersion });
    printResult(context, now, "deleted", dryRun);
    return;
  }
  await write(context, { resource, value: result.object, verb: "undo" });
}

interface Wanted {
  readonly resource: DiscoveredResource;
  readonly ref: Ref;
  readonly past: Json;
  readonly verb: "restore" | "undelete" | "undo";
}

/** Creates the object again, or replaces what a person writes of it. */
async function makeSo(context: Context, { resource, ref, past, verb }: Wanted): Promise<void> {
  const now = await context.session.find(resource, ref);
  if (now !== undefined) return write(context, { resource, value: restored(now, past), verb });
  const again = createdAgain(past);
  const dryRun = dryRunOf(context);
  const made =
    dryRun === "client"
      ? again
      : await context.at(resource).create(again, writeOptions(managerOf(context, verb), dryRun));
  printResult(context, made, "created", dryRun);
}

async function write(context: Context, { resource, value, verb }: Pick<Wanted, "resource" | "verb"> & { value: Json }) {
  const dryRun = dryRunOf(context);
  // With the resourceVersion that was read: whoever is faster is not overwritten.
  const made =
    dryRun === "client"
      ? value
      : await context.at(resource).update(value, writeOptions(managerOf(context, verb), dryRun));
  printResult(context, made, verb === "undo" ? "undone" : "restored", dryRun);
}

async function namedOf(context: Context): Promise<{ readonly resource: DiscoveredResource; readonly ref: Ref }[]> {
  const named = (lookup: Lookup) => {
    const { resource, namespace, name } = lookup;
    if (name === undefined) throw new UsageError("the name of an object is needed");
    return { resource, ref: namespace === "" ? { name } : { namespace, name } };
  };
  return (await findLookups(context, { allowLists: true })).map(named);
}
