/** Runs the plugins in order: first the mutating phase, after validation of the object the validating one. */

import { Refusal } from "./context.ts";
import type { Admission, AdmissionPlugin, AdmissionRequest, RequestTarget } from "./contract.ts";

export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const mutating = byTarget(plugins.filter((plugin) => plugin.mutate !== undefined));
  const validating = byTarget(plugins.filter((plugin) => plugin.validate !== undefined));
  const mutate = (request: AdmissionRequest) =>
    runFrom(mutating(request), 0, request, (plugin) => plugin.mutate?.(request));
  // Once more at most: plugins that undo each other's work would never end.
  const again = (request: AdmissionRequest) => (request.beginSecondRound() ? mutate(request) : undefined);
  return {
    mutate(request) {
      const pending = mutate(request);
      return pending === undefined ? again(request) : pending.then(() => again(request));
    },
    validate: (request) => runFrom(validating(request), 0, request, (plugin) => plugin.validate?.(request)),
  };
}

/** The plugins that may apply to a request, found once for each kind, subresource and operation: most apply to few kinds. */
function byTarget(plugins: readonly AdmissionPlugin[]): (target: RequestTarget) => readonly AdmissionPlugin[] {
  const known = new WeakMap<RequestTarget["kind"]["declaration"], Map<string, readonly AdmissionPlugin[]>>();
  return (target) => {
    const { declaration } = target.kind;
    const ofKind = known.get(declaration) ?? new Map<string, readonly AdmissionPlugin[]>();
    known.set(declaration, ofKind);
    const key = target.subresource === "" ? target.operation : `${target.operation}/${target.subresource}`;
    let concerned = ofKind.get(key);
    if (concerned === undefined) {
      concerned = plugins.filter((plugin) => plugin.concerns?.(target) ?? true);
      ofKind.set(key, concerned);
    }
    return concerned;
  };
}

/** One after the other, since each sees the changes of the ones before it. Synchronous unless a plugin waits. */
function runFrom(
  plugins: readonly AdmissionPlugin[],
  start: number,
  request: AdmissionRequest,
  run: (plugin: AdmissionPlugin) => void | Promise<void>,
): void | Promise<void> {
  for (let index = start; index < plugins.length; index++) {
    const plugin = plugins[index]!;
    if (!plugin.handles(request)) continue;
    let pending: void | Promise<void>;
    try {
      pending = run(plugin);
    } catch (error) {
      throw named(error, plugin);
    }
    if (!(pending instanceof Promise)) continue;
    return pending.then(
      () => runFrom(plugins, index + 1, request, run),
      (error: unknown) => Promise.reject(named(error, plugin)),
    );
  }
}

const named = (error: unknown, { name }: AdmissionPlugin): unknown =>
  error instanceof Refusal ? error.by(name) : error;
