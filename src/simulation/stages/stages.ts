/**
 * Stages: objects that say how the pods behave that they select. `behaviour`, `logs`, `commands`, `ports` and `usage` are what pods
 * can also declare themselves by annotations, and count for pods that do not; `from`, `delay` and `next` lead pods from a state to
 * another status.
 */

import type { Pod } from "../../api/core/v1/pod.ts";
import type { AnyObject } from "../../client/contract.ts";
import type { LabelSelectorObject } from "../../machinery/meta/label-selector.ts";
import { type LabelSelector, labelMap, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import { annotationPrefix, durationMs } from "../life/behaviour.ts";
import type { NextStatus, PodStage, StageState } from "../life/pod-stage.ts";

/** The schema of the definition has checked it. */
export interface SimulationStage extends AnyObject {
  readonly spec: {
    /** Absent: all pods. */
    readonly selector?: LabelSelectorObject & { readonly namespaces?: readonly string[] };
    readonly from?: StageState;
    readonly delay?: { readonly duration?: string; readonly jitter?: string };
    readonly next?: NextStatus;
    /** The annotations of `life/behaviour.ts`, in camel case. */
    readonly behaviour?: Readonly<Record<string, unknown>>;
    /** By name of a container. */
    readonly terminationMessages?: Readonly<Record<string, string>>;
    readonly logs?: { readonly text?: string; readonly every?: string };
    readonly commands?: Readonly<Record<string, unknown>>;
    readonly ports?: Readonly<Record<string, unknown>>;
    readonly usage?: { readonly cpu?: string; readonly memory?: string };
  };
}

/** Further stages, by name, do not count. */
export const stagesMax = 1_000;
/** A stage that could come again and again takes at least this long. */
export const stageDelayMsMin = 100;

type Annotations = Readonly<Record<string, string>>;

interface ReadyStage {
  readonly name: string;
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly selector: LabelSelector | undefined;
  readonly annotations: Annotations;
  readonly lead: { readonly from: StageState; readonly next: NextStatus } | undefined;
  readonly delayMs: number;
  readonly jitterMs: number;
}

export class SimulationStages {
  readonly #byName = new Map<string, ReadyStage>();
  /** Undefined: a stage has changed since. */
  #ordered: readonly ReadyStage[] | undefined;

  /** Throws if its selector cannot be read. */
  set(stage: SimulationStage): void {
    const ready = readStage(stage);
    this.#byName.set(ready.name, ready);
    this.#ordered = undefined;
  }

  delete(name: string): void {
    this.#byName.delete(name);
    this.#ordered = undefined;
  }

  /** What leads the pod, each with its own jitter. */
  of(pod: Pod): readonly PodStage[] {
    if (this.#byName.size === 0) return none;
    return this.#selecting(pod).flatMap(({ name, lead, delayMs, jitterMs }) =>
      lead === undefined ? [] : [{ name, ...lead, delayMs: delayMs + jitterMs * share(`${pod.metadata.uid}/${name}`) }],
    );
  }

  /** What the stages of a pod declare for it; of several, the first by name counts. */
  annotationsOf(pod: Pod): Annotations | undefined {
    if (this.#byName.size === 0) return undefined;
    const declared = this.#selecting(pod).map(({ annotations }) => annotations);
    return declared.length === 0 ? undefined : Object.assign({}, ...declared.reverse());
  }

  /** The pod, with what its stages declare for it beside its own annotations. */
  declared(pod: Pod): Pod {
    const more = this.annotationsOf(pod);
    if (more === undefined) return pod;
    return { ...pod, metadata: { ...pod.metadata, annotations: { ...more, ...pod.metadata.annotations } } };
  }

  #selecting({ metadata }: Pod): ReadyStage[] {
    const labels = labelMap(metadata.labels);
    this.#ordered ??= [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, stagesMax);
    return this.#ordered.filter(
      ({ namespaces, selector }) =>
        namespaces?.has(metadata.namespace ?? "") !== false && selector?.matches(labels) !== false,
    );
  }
}

const none: readonly PodStage[] = [];

function readStage({ metadata, spec }: SimulationStage): ReadyStage {
  const { selector, from, next, delay } = spec;
  const canRepeat = from === "Ready" || from === "NotReady";
  return {
    name: metadata.name ?? "",
    namespaces: selector?.namespaces === undefined ? undefined : new Set(selector.namespaces),
    selector: selector === undefined ? undefined : labelSelectorFromObject(selector),
    annotations: annotationsIn(spec),
    lead: from === undefined || next === undefined ? undefined : { from, next },
    delayMs: Math.max(canRepeat ? stageDelayMsMin : 0, durationMs(delay?.duration) ?? 0),
    jitterMs: durationMs(delay?.jitter) ?? 0,
  };
}

function annotationsIn(spec: SimulationStage["spec"]): Annotations {
  const { behaviour = {}, terminationMessages = {}, logs, commands, ports, usage } = spec;
  const given: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(Object.entries(behaviour).map(([name, value]) => [inKebabCase(name), String(value)])),
    ...Object.fromEntries(
      Object.entries(terminationMessages).map(([name, text]) => [`termination-message.${name}`, text]),
    ),
    logs: logs?.text,
    "log-every": logs?.every,
    exec: commands && JSON.stringify(commands),
    ports: ports && JSON.stringify(ports),
    "cpu-usage": usage?.cpu,
    "memory-usage": usage?.memory,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[annotationPrefix + name, value]])),
  );
}

const inKebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** From 0 to 1, always the same for a text: FNV-1a. */
function share(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0) / 0xffffffff;
}
