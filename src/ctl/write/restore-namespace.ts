/** Makes the objects of a namespace what they were: a plan that the server has tried first, and then ordinary writes. */

import type { DiscoveredResource, Ref } from "../../client/contract.ts";
import { fieldChanges } from "../../machinery/json/field-changes.ts";
import { cleaned } from "../../operations/cleaned.ts";
import { createdAgain, isWrittenSame, restored } from "../../operations/past.ts";
import type { Context } from "../context.ts";
import { CtlError, throwFailures } from "../errors.ts";
import { everyResource } from "../input/everything.ts";
import { findServed } from "../input/lookups.ts";
import { requirePast, stateAt, statesAt } from "../input/past.ts";
import { ensure, type Json, nameOf, text } from "../json.ts";
import { type DryRun, dryRunOf, printResult } from "../output/formats.ts";
import { isMade, isOwn } from "../output/own-objects.ts";
import { createAgain, inOrder } from "./create-again.ts";
import { whileOthersWrite } from "./while-others-write.ts";
import { managerOf, writeOptions } from "./write-options.ts";

interface PlannedWrite {
  readonly resource: DiscoveredResource;
  readonly does: "create" | "update" | "delete";
  /** As it was; of what is deleted, as it is. */
  readonly past: Json;
  /** As the plan has seen it. Undefined: it is created. */
  readonly now: Json | undefined;
}

/** Objects that controllers, nodes and the server make are left to them. */
export async function restoreNamespace(context: Context, namespace: string, atTime: string): Promise<void> {
  await requireNamespace(context, namespace, atTime);
  const plan = await planOf(context, namespace, atTime);
  if (plan.length === 0) {
    context.say(`nothing in namespace ${namespace} differs from what it was at ${atTime}`);
    return;
  }
  const dryRun = dryRunOf(context);
  // All of it before any of it: what the server refuses is known before something is written.
  if (dryRun === "none") await collected(plan, (write) => carryOut(context, write, "server"));
  await collected(plan, async (write) => {
    if (write.does === "create") {
      await createAgain(context, { resource: write.resource, past: write.past, verb: "restore" });
      return;
    }
    const made = await carryOut(context, write, dryRun);
    printResult(context, made, write.does === "delete" ? "deleted" : "restored", dryRun);
  });
}

async function requireNamespace(context: Context, namespace: string, atTime: string): Promise<void> {
  const namespaces = await findServed(context, (discovery) => discovery.byKind("v1", "Namespace"));
  if (namespaces === undefined) throw new CtlError("the server serves no namespaces");
  await requirePast(context, { resource: namespaces, namespace: "", name: undefined });
  if ((await context.session.find(namespaces, { name: namespace })) === undefined)
    throw new CtlError(
      `namespaces/${namespace} is not there; undelete namespace/${namespace} creates a deleted one again`,
    );
  if ((await stateAt(context, namespaces, { name: namespace }, { atTime })) === undefined)
    throw new CtlError(`namespaces/${namespace} was not there at ${atTime}`);
}

async function planOf(context: Context, namespace: string, atTime: string): Promise<PlannedWrite[]> {
  const changed: PlannedWrite[] = [];
  const added: PlannedWrite[] = [];
  const failures: unknown[] = [];
  for (const resource of await everyResource(context)) {
    if (!resource.namespaced || isMade(resource) || !resource.verbs.includes("create")) continue;
    try {
      // The history has no objects of aggregated servers, so their absence there is not a reason to delete them.
      await requirePast(context, { resource, namespace, name: undefined });
      const before = new Map<string, Json>();
      for (const past of await statesAt(context, resource, namespace, { atTime })) before.set(nameOf(past), past);
      for await (const one of context.at(resource).items({ namespace })) {
        const now = ensure(one);
        const past = before.get(nameOf(now));
        before.delete(nameOf(now));
        if (!isOwn(now)) continue;
        if (past === undefined) added.push({ resource, does: "delete", past: now, now });
        else if (isOwn(past)) changed.push(...updateOf(resource, now, past));
      }
      for (const past of before.values())
        if (isOwn(past)) changed.push({ resource, does: "create", past, now: undefined });
    } catch (error) {
      failures.push(error);
    }
  }
  // With a part of the plan the namespace would be what it never was.
  throwFailures(failures);
  return [...inOrder(changed), ...inOrder(added).reverse()];
}

function updateOf(resource: DiscoveredResource, now: Json, past: Json): PlannedWrite[] {
  // By what an export would say: annotations of controllers are left to them.
  if (fieldChanges(cleaned(now), cleaned(past)).fields.length === 0) return [];
  return [{ resource, does: "update", past, now }];
}

async function carryOut(context: Context, write: PlannedWrite, dryRun: DryRun): Promise<Json> {
  const { resource, does, past } = write;
  const client = context.at(resource);
  const options = writeOptions(managerOf(context, "restore"), dryRun);
  if (write.now === undefined) return dryRun === "client" ? past : await client.create(createdAgain(past), options);
  if (dryRun === "client") return does === "update" ? restored(write.now, past) : past;
  let now: Json | undefined = write.now;
  return await whileOthersWrite(context, async () => {
    const current = now ?? (await sameAsPlanned(context, write));
    now = undefined; // it is read again after a conflict
    if (does === "update") return await client.update(restored(current, past), options);
    const resourceVersion = text(current, "metadata", "resourceVersion");
    await client.delete(refOf(past), { dryRun: dryRun === "server", resourceVersion });
    return past;
  });
}

/** The object as it is, if only controllers have written it since the plan was made. */
async function sameAsPlanned(context: Context, { resource, now }: PlannedWrite): Promise<Json> {
  const current = await context.session.find(resource, refOf(now!)); // only what is there can have changed
  if (current === undefined || !isWrittenSame(current, now!))
    throw new CtlError(`${resource.resource}/${nameOf(now!)} has been changed in the meantime; run restore again`);
  return current;
}

const refOf = (object: Json): Ref => ({ namespace: text(object, "metadata", "namespace"), name: nameOf(object) });

async function collected(plan: readonly PlannedWrite[], act: (write: PlannedWrite) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const write of plan) await act(write).catch((error: unknown) => failures.push(error));
  throwFailures(failures);
}
