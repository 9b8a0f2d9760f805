/** Runs the plugins in order: first all that change the object, later all that only judge it. */

import { Refusal } from "./context.ts";
import type { Admission, AdmissionPlugin, AdmissionRequest } from "./contract.ts";

export function createAdmission(plugins: readonly AdmissionPlugin[]): Admission {
  const mutating = plugins.filter((plugin) => plugin.mutate !== undefined);
  const validating = plugins.filter((plugin) => plugin.validate !== undefined);
  const mutate = (request: AdmissionRequest) => runFrom(mutating, 0, request, (plugin) => plugin.mutate?.(request));
  // Once more at most: plugins that undo each other's work would never end.
  const again = (request: AdmissionRequest) => (request.beginSecondRound() ? mutate(request) : undefined);
  return {
    mutate(request) {
      const pending = mutate(request);
      return pending === undefined ? again(request) : pending.then(() => again(request));
    },
    validate: (request) => runFrom(validating, 0, request, (plugin) => plugin.validate?.(request)),
  };
}

/** One after the other, since each sees what the ones before it did. Stays in this turn of the event loop where it can. */
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
