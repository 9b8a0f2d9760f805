/**
 * The objects that every server needs: every minute, deleted ones are created again and changed ones get their fixed content. Since 1.23 so do
 * the flow control objects that it only suggests, unless an administrator has changed them.
 */

import { Namespace } from "../api/core/v1/namespace.ts";
import {
  type BuiltIn,
  builtInLevels,
  builtInSchemas,
  followedAnnotation,
  followedSince,
  mandatoryLevels,
  mandatorySchemas,
} from "../api/flowcontrol/v1beta1/built-in.ts";
import { FlowSchema } from "../api/flowcontrol/v1beta1/flow-schema.ts";
import { PriorityLevelConfiguration } from "../api/flowcontrol/v1beta1/priority-level-configuration.ts";
import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import { sameValue } from "../machinery/schema/same-value.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import { createMake, type MakeParts, makeFlowControl, makeNamespaces } from "./bootstrap.ts";
import type { RunningUpkeep, UpkeepParts } from "./contract.ts";
import { every } from "./every.ts";

export const remakeIntervalMs = 60_000;

/** A round looks at the objects only if one of their kinds has changed since the last round that succeeded. */
export function keepMandatoryObjects(
  parts: Pick<UpkeepParts, "registry" | "catalog" | "clock" | "log">,
): RunningUpkeep {
  const { registry, catalog } = parts;
  let hasChanges = true;
  const changed = () => {
    hasChanges = true;
  };
  const kinds: readonly Kind[] = [Namespace, PriorityLevelConfiguration, FlowSchema];
  const stops = kinds.map((kind) => registry.observe(catalog.of(kind), changed));
  const rounds = every(parts, {
    name: "mandatory objects",
    intervalMs: remakeIntervalMs,
    async round() {
      if (!hasChanges) return;
      hasChanges = false;
      await remakeMandatoryObjects(parts).catch((error: unknown) => {
        changed();
        throw error;
      });
    },
  });
  return {
    close() {
      for (const stop of stops) stop();
      return rounds.close();
    },
  };
}

export async function remakeMandatoryObjects(parts: MakeParts): Promise<void> {
  const make = createMake(parts);
  const { environment } = parts.catalog;
  const followsAll = environment.since(followedSince);
  await makeNamespaces(make, environment.vocabulary);
  await makeFlowControl(make, environment, !followsAll);
  await restore(parts, PriorityLevelConfiguration, mandatoryLevels);
  await restore(parts, FlowSchema, mandatorySchemas);
  if (!followsAll) return;
  await follow(parts, PriorityLevelConfiguration, builtInLevels(environment), mandatoryLevels);
  await follow(parts, FlowSchema, builtInSchemas(environment), mandatorySchemas);
}

/** An object that was never changed is kept as the server suggests it; the annotation says so, and lets an administrator choose. */
async function follow<T extends ApiObject & { spec?: object }>(
  { registry, catalog }: MakeParts,
  declared: Kind<T>,
  suggested: readonly BuiltIn[],
  mandatory: ReadonlyMap<string, object>,
): Promise<void> {
  const kind = catalog.of(declared);
  const { vocabulary } = catalog.environment;
  const annotation = vocabulary.word(followedAnnotation);
  const context = serverWrites("flow control objects", vocabulary);
  for (const { name, spec } of suggested) {
    const ref = { namespace: "", name };
    const entry = registry.peek(kind, ref);
    if (entry === undefined) continue;
    const { metadata, ...object } = entry.version.toHub(entry.object()) as T; // of the family of `declared`, whose hub it is
    const said = metadata.annotations?.[annotation];
    const isMandatory = mandatory.has(name);
    const isFollowed = isMandatory || said === "true" || (said !== "false" && (metadata.generation ?? 1) <= 1);
    // What validation allows of a mandatory object is up to administrators.
    const isRight = isMandatory || !isFollowed || sameValue(object.spec, spec);
    if (said === String(isFollowed) && isRight) continue;
    const next = (current: T | undefined): T => {
      const { metadata: now, ...rest } = current as T; // it exists
      const annotations = { ...now.annotations, [annotation]: String(isFollowed) };
      const kept = { ...rest, metadata: { ...now, annotations } } as T; // the same object with an annotation
      return isRight ? kept : { ...kept, spec: structuredClone(spec) };
    };
    await registry.update(kind, ref, next, context, { retry: true });
  }
}

/** Validation knows which content they may have, so only a store of another release can have other content. */
async function restore<T extends ApiObject & { spec?: object }>(
  { registry, catalog }: MakeParts,
  declared: Kind<T>,
  specs: ReadonlyMap<string, object>,
): Promise<void> {
  const kind = catalog.of(declared);
  const context = serverWrites("flow control objects", catalog.environment.vocabulary);
  for (const [name, spec] of specs) {
    const ref = { namespace: "", name };
    const entry = registry.peek(kind, ref);
    if (entry === undefined) continue;
    const object = entry.version.toHub(entry.object()) as T; // of the family of `declared`, whose hub it is
    if (kind.strategy.validate?.(object, catalog.environment).length === 0) continue;
    await registry.update(kind, ref, (current) => ({ ...(current as T), spec: structuredClone(spec) }), context, {
      retry: true,
    });
  }
}
