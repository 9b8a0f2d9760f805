/** Writes of a status by the server itself; an unchanged status is not written. */

import type { WorkQueue } from "../base/queue/contract.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { UpdateFunction } from "../registry/contract/registry.ts";
import { type ServerPurpose, serverWrites } from "../registry/contract/server-writes.ts";
import type { UpkeepParts } from "./contract.ts";
import { createWork } from "./work.ts";

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface StatusChange {
  readonly status: object;
  /** Absent: unchanged. Not all kinds accept it here. */
  readonly metadata?: ApiObject["metadata"];
}

/**
 * Writes the status of a cluster-scoped object. `change` gets the newest state and returns the members that change, or
 * undefined if the status is correct; it is called again when another write was faster. A deleted object is not an
 * error.
 */
export async function writeStatus<T extends ApiObject>(
  { registry, catalog }: UpkeepParts,
  kind: BoundKind<T>,
  name: string,
  options: { readonly purpose: ServerPurpose; change(current: T): StatusChange | undefined },
): Promise<void> {
  const change: UpdateFunction<T> = (current) => {
    const object = current as T; // nothing is created here
    return { ...object, ...options.change(object) };
  };
  const context = serverWrites(options.purpose, catalog.environment.vocabulary);
  try {
    await registry.update(kind, { namespace: "", name }, change, context, { subresource: "status", retry: true });
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
  }
}

interface StatusWorkOptions<T extends ApiObject> {
  readonly kind: BoundKind<T>;
  readonly purpose: ServerPurpose;
  /** Computes in time slices what `next` needs, if that may take long. */
  prepare?(current: T): Promise<void>;
  /** The correct status; undefined: it is correct already, or cannot be known before `prepare`, which a newer state brings about. */
  next(current: T): object | undefined;
  failed(name: string, error: unknown): void;
}

/** Corrects the status of a cluster-scoped object whenever its name is queued. */
export function createStatusWork<T extends ApiObject>(parts: UpkeepParts, options: StatusWorkOptions<T>): WorkQueue {
  const { kind, purpose, next, failed } = options;
  const change = (current: T): StatusChange | undefined => {
    const status = next(current);
    return status && { status };
  };
  return createWork({
    name: purpose,
    clock: parts.clock,
    async work(name) {
      const entry = parts.registry.peek(kind, { namespace: "", name });
      if (entry === undefined) return;
      const current = entry.object();
      await options.prepare?.(current);
      if (next(current) === undefined) return;
      await writeStatus(parts, kind, name, { purpose, change });
    },
    failed,
  });
}

/**
 * `conditions` with `next` in place of the one of its type, or at the end; undefined: they contain it already. The time of the
 * transition is kept while the status stays the same.
 */
export function withCondition<T extends { type?: string; status?: string; reason?: string; message?: string }>(
  conditions: readonly T[],
  next: Condition,
  now: string,
): (T | (Condition & { lastTransitionTime: string }))[] | undefined {
  const at = conditions.findIndex(({ type }) => type === next.type);
  const before = conditions[at];
  if (before === undefined) return [...conditions, { ...next, lastTransitionTime: now }];
  const same = before.status === next.status;
  if (same && before.reason === next.reason && before.message === next.message) return undefined;
  const changed = { ...before, ...next, ...(same ? {} : { lastTransitionTime: now }) };
  return conditions.map((condition, index) => (index === at ? changed : condition));
}
