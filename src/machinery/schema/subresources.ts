/** The subresources that many kinds have. */

import type { Subresource } from "./kind.ts";

/** The path through which only status is written; the registry keeps everything else unless `merge` says more. */
export function status(): Subresource<never>;
export function status<T>(options: Pick<Subresource<T>, "merge" | "validate" | "resets">): Subresource<T>;
export function status<T>(options: Pick<Subresource<T>, "merge" | "validate" | "resets"> = {}): Subresource<T> {
  return { name: "status", verbs: ["get", "patch", "update"], ...options };
}
