/**
 * Objects on the server, found by arguments, files or selectors, and a loop over them that continues after failures.
 */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Context } from "../context.ts";
import { CtlError, Errors, throwFailures } from "../errors.ts";
import { type Json, nameOf, namespaceOf } from "../json.ts";
import { findLookups, type Lookup, type LookupOptions } from "./lookups.ts";
import type { Manifest } from "./manifests.ts";
import { located } from "./problems.ts";

/** An object on the server. */
export interface ObjectTarget {
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
  readonly object: Json;
  /** The file that named it; "": none. */
  readonly source: string;
  readonly manifest?: Manifest | undefined;
}

interface TargetOptions extends LookupOptions {
  /** Use the objects of files without a request to the server. */
  readonly isLocal?: boolean;
}

/**
 * Calls back for each object; failures are collected and thrown together at the end. Resolves with the number of
 * objects.
 */
export async function forEachTarget(
  context: Context,
  options: TargetOptions,
  visit: (target: ObjectTarget) => Promise<void>,
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
          failures.push(located(context, lookup.manifest, error));
        }
      }
    } catch (error) {
      if (context.signal.aborted) throw error;
      failures.push(located(context, lookup.manifest, error));
    }
  }
  throwFailures(failures);
  return count;
}

/** All objects, before any of them is changed; throws if one of them cannot be found. */
export async function findTargets(context: Context, options: TargetOptions): Promise<ObjectTarget[]> {
  const targets: ObjectTarget[] = [];
  await forEachTarget(context, options, async (target) => {
    targets.push(target);
  });
  return targets;
}

/** Reports `failures` first, then visits every object, and reports further failures afterwards. */
export async function visitFound(
  context: Context,
  options: TargetOptions,
  visit: (target: ObjectTarget) => Promise<void>,
): Promise<void> {
  const targets: ObjectTarget[] = [];
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
      failures.push(located(context, target.manifest, error));
    }
  }
  throwCollected(failures);
}

/** Throws for commands that collect failures: even a single one is reported without "error: ". */
export function throwCollected(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new Errors(failures);
}

export async function* targetsOf(
  context: Context,
  lookup: Lookup,
  options: TargetOptions = {},
): AsyncIterable<ObjectTarget> {
  const { resource, namespace, name, object, source, manifest, problem } = lookup;
  if (problem !== undefined) throw problem;
  if (options.isLocal && object !== undefined) {
    yield { resource, namespace, name: name ?? "", object, source, manifest };
    return;
  }
  if (name !== undefined) {
    yield { resource, namespace, name, object: await context.at(resource).get({ namespace, name }), source, manifest };
    return;
  }
  if (object !== undefined)
    throw new CtlError(`${context.behaviour.locatesErrors ? "" : `${source}: `}resource name may not be empty`);
  const { flags } = context;
  const query = {
    labelSelector: flags.selector,
    fieldSelector: flags["field-selector"],
  };
  const chunkSize = flags["chunk-size"];
  for await (const item of context.at(resource).items({ namespace, ...query, limit: chunkSize }))
    yield { resource, namespace: namespaceOf(item), name: nameOf(item), object: item, source: "" };
}

/** The object, or undefined if the server has none of that name. */
export async function findObject(
  context: Context,
  place: { readonly resource: DiscoveredResource; readonly namespace: string; readonly name: string },
): Promise<Json | undefined> {
  return context.session.find(place.resource, place);
}
