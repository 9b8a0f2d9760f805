/** Objects as the server has them, found by arguments, files or selectors, and the loop over them that does not stop at a failure. */

import type { ApiResource } from "../api/discovery.ts";
import type { Context } from "../context.ts";
import { CtlError, Errors, isNotFound } from "../errors.ts";
import { type Json, nameOf, namespaceOf } from "../json.ts";
import { findLookups, type Lookup, type LookupOptions } from "./lookups.ts";

/** An object on the server. */
export interface Target {
  readonly resource: ApiResource;
  readonly namespace: string;
  readonly name: string;
  readonly object: Json;
  /** The file it was named by; "": none. */
  readonly source: string;
}

export interface TargetOptions extends LookupOptions {
  /** Use the objects of files as they are and ask no server. */
  readonly isLocal?: boolean;
}

/** Calls back for each object; failures are collected and thrown together at the end. Resolves with how many there were. */
export async function forEachTarget(
  context: Context,
  options: TargetOptions,
  visit: (target: Target) => Promise<void>,
): Promise<number> {
  const lookups = await findLookups(context, options);
  const failures: unknown[] = [];
  let count = 0;
  for (const lookup of lookups) {
    try {
      for await (const target of targetsOf(context, lookup, options)) {
        count++;
        try {
          await visit(target);
        } catch (error) {
          if (context.signal.aborted) throw error;
          failures.push(error);
        }
      }
    } catch (error) {
      if (context.signal.aborted) throw error;
      failures.push(error);
    }
  }
  throwAll(failures);
  return count;
}

/** All objects before anything is done with them; throws where one of them cannot be found. */
export async function findTargets(context: Context, options: TargetOptions): Promise<Target[]> {
  const targets: Target[] = [];
  await forEachTarget(context, options, async (target) => {
    targets.push(target);
  });
  return targets;
}

/** What `failures` holds already is told first; then every object is visited, and what goes wrong is told after it. */
export async function visitFound(
  context: Context,
  options: TargetOptions,
  visit: (target: Target) => Promise<void>,
): Promise<void> {
  const targets: Target[] = [];
  const failures: unknown[] = [];
  try {
    await forEachTarget(context, options, async (target) => {
      targets.push(target);
    });
  } catch (error) {
    if (context.signal.aborted || targets.length === 0) throw error;
    failures.push(...(error instanceof Errors ? error.errors : [error]));
  }
  for (const target of targets) {
    try {
      await visit(target);
    } catch (error) {
      if (context.signal.aborted) throw error;
      failures.push(error);
    }
  }
  throwTogether(failures);
}

export function throwAll(failures: readonly unknown[]): void {
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new Errors(failures);
}

/** The same for commands that gather what went wrong: even one failure is then told without "error: " before it. */
export function throwTogether(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new Errors(failures);
}

export async function* targetsOf(context: Context, lookup: Lookup, options: TargetOptions = {}): AsyncIterable<Target> {
  const { resource, namespace, name, object, source, problem } = lookup;
  if (problem !== undefined) throw problem;
  if (options.isLocal && object !== undefined) {
    yield { resource, namespace, name: name ?? "", object, source };
    return;
  }
  if (name !== undefined) {
    yield { resource, namespace, name, object: await context.api.get({ resource, namespace, name }), source };
    return;
  }
  if (object !== undefined) throw new CtlError(`${source}: resource name may not be empty`);
  const { flags } = context;
  const query = {
    labelSelector: flags.has("selector") ? flags.text("selector") : undefined,
    fieldSelector: flags.has("field-selector") ? flags.text("field-selector") : undefined,
  };
  const chunkSize = flags.has("chunk-size") ? flags.int("chunk-size") : undefined;
  for await (const item of context.api.items({ resource, namespace }, query, chunkSize))
    yield { resource, namespace: namespaceOf(item), name: nameOf(item), object: item, source: "" };
}

/** The object, or undefined where the server has none of that name. */
export async function getIfThere(
  context: Context,
  place: { readonly resource: ApiResource; readonly namespace: string; readonly name: string },
): Promise<Json | undefined> {
  try {
    return await context.api.get(place);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
