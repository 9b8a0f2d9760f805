/** What a simulated pod gets from other objects: the environments of its containers and the files of its volumes. */

import type { Pod } from "../../api/core/v1/pod.ts";
import { environmentOf, MissingReference, type ReferredObjects } from "./environment.ts";
import { volumeFiles } from "./volumes.ts";

export interface PodInputs {
  readonly readMs: number;
  /** By name of the container; those that cannot be created have none. */
  readonly environments: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Why a container cannot be created. */
  readonly refusals: ReadonlyMap<string, string>;
  /** By name of the volume, then by path. */
  readonly volumes: ReadonlyMap<string, ReadonlyMap<string, Buffer>>;
  /** Why the pod cannot be started: a volume, and what it lacks. */
  readonly missingVolume: { readonly volume: string; readonly message: string } | undefined;
  readonly hasToken: boolean;
}

interface InputOptions extends ReferredObjects {
  readonly token: string | undefined;
  readonly nowMs: number;
}

export function inputsOf(pod: Pod, options: InputOptions): PodInputs {
  const { spec } = pod;
  const environments = new Map<string, ReadonlyMap<string, string>>();
  const refusals = new Map<string, string>();
  const volumes = new Map<string, ReadonlyMap<string, Buffer>>();
  let missingVolume: PodInputs["missingVolume"];
  const containers = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  for (const container of containers) {
    try {
      environments.set(container.name, environmentOf(pod, container, options));
    } catch (error) {
      if (!(error instanceof MissingReference)) throw error;
      refusals.set(container.name, error.message);
    }
  }
  for (const volume of spec?.volumes ?? []) {
    try {
      const files = volumeFiles(pod, volume, options);
      if (files !== undefined) volumes.set(volume.name, files);
    } catch (error) {
      if (!(error instanceof MissingReference)) throw error;
      missingVolume ??= { volume: volume.name, message: error.message };
    }
  }
  return {
    readMs: options.nowMs,
    environments,
    refusals,
    volumes,
    missingVolume,
    hasToken: options.token !== undefined,
  };
}
