/** Server-side apply: a PATCH with the configuration of one manager. */

import { checkAnswer, checksCaches } from "../../base/cache-check.ts";
import { atOnceBytesMax, run, type Steps, TimeSlice, wait } from "../../base/time-slice.ts";
import { type ApplyOptions, applySteps } from "../../machinery/apply/apply.ts";
import { decodeYamlAsync, readJsonOfYaml } from "../../machinery/codec/yaml.ts";
import type { ReadJson } from "../../machinery/json/json.ts";
import { sameJson } from "../../machinery/json/json-value.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { emptiedMembers } from "../../machinery/schema/emptied.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { sharingMembers } from "../../machinery/schema/shared-members.ts";
import { badRequest, notFound } from "../../machinery/status/status.ts";
import type { UpdateFunction } from "../../registry/contract/registry.ts";
import { timestamp } from "../../registry/metadata.ts";
import type { Call } from "../request/call.ts";
import { requireCreate } from "../request/rights.ts";
import type { ServerContext } from "../server/context.ts";
import { checkTypeOf } from "./decode-body.ts";
import type { WriteQueryOptions } from "./options.ts";
import { acceptedKind, type HandledTarget } from "./target.ts";

interface Apply {
  readonly change: UpdateFunction;
  /** The uid that the object must have; "": any, or none yet. */
  readonly uid: string;
  /** What was read of the configuration. Undefined: it was not read, or is large, or not JSON. */
  readonly read: ReadJson | undefined;
}

/** Reads the applied configuration (YAML; JSON is YAML too) and returns how it changes the object. */
export async function readApply(
  context: ServerContext,
  call: Call,
  target: HandledTarget,
  { bytes, options: given }: { readonly bytes: Buffer; readonly options: WriteQueryOptions },
): Promise<Apply> {
  const { kind, ref, subresource } = target;
  const accepted = acceptedKind(context, target);
  // In v1.21 the managed fields of a body of another kind (a Scale) are not kept: its fields count as set before the first apply.
  const isKept = accepted === undefined || kind.family.environment.has("ownersOfSubresources");
  const path = isKept ? (subresource?.name ?? "") : "";
  const { fieldManager: manager, force = false } = given;
  // A body of another kind (a Scale) is merged into a view of the object, which has no version of its own.
  const { namespace, name } = ref;
  const identity =
    accepted === undefined ? { namespace, name, kind, subresource: path, manager, force, bytes } : undefined;
  const repeated = identity && context.repeatedApplies.find(identity);
  const read = repeated === undefined && bytes.length <= atOnceBytesMax ? readJsonOfYaml(bytes) : undefined;
  const applied = repeated === undefined ? await readApplied(accepted ?? kind, bytes, read) : undefined;
  const uid = repeated?.uid ?? uidOf(applied ?? {});
  const options = { kind: accepted ?? kind, manager, force, subresource: path };
  const apply = { context, call, target, bytes, options, isKept, identity, repeated, uid, applied };
  // One generator function for all requests: each new one would make a hidden class.
  return { change: (live) => run(appliedTo(apply, live), new TimeSlice()), uid, read };
}

/** What an apply needs to make the next state, perhaps several times. */
interface Applying {
  readonly context: ServerContext;
  readonly call: Call;
  readonly target: HandledTarget;
  readonly bytes: Buffer;
  readonly options: Pick<ApplyOptions, "kind" | "manager" | "force" | "subresource">;
  readonly isKept: boolean;
  readonly identity: Parameters<ServerContext["repeatedApplies"]["find"]>[0] | undefined;
  readonly repeated: ReturnType<ServerContext["repeatedApplies"]["find"]>;
  readonly uid: string;
  /** The configuration. Undefined: it has not been needed yet. */
  applied: ApiObject | undefined;
}

function* appliedTo(apply: Applying, live: ApiObject | undefined): Steps<ApiObject> {
  const { context, call, target, bytes, options, identity, repeated } = apply;
  const { kind, ref, subresource } = target;
  if (live === undefined) {
    if (subresource !== undefined) throw notFound({ group: kind.group, kind: kind.resource }, ref.name);
    yield* wait(requireCreate(context.authorizer, call));
  }
  const version = live?.metadata.resourceVersion;
  const isRepeated = live !== undefined && repeated !== undefined && repeated.version === version;
  if (isRepeated && !checksCaches) return sharingMembers(live);
  apply.applied ??= yield* wait(readApplied(options.kind, bytes));
  const now = timestamp(context.clock.now());
  const { manager, force, subresource: path } = options;
  const { applied } = apply;
  const next = yield* applySteps({ kind: options.kind, live, applied, manager, force, subresource: path, now });
  if (isRepeated) checkAnswer("repeated applies", live, next);
  if (!apply.isKept) delete next.metadata.managedFields;
  if (identity !== undefined && version !== undefined && isUnchanged(next, live))
    context.repeatedApplies.remember(identity, version, apply.uid);
  return next;
}

/** Whether an apply to the same state would give the same again, down to what was given as empty. */
const isUnchanged = (next: ApiObject, live: ApiObject | undefined): boolean =>
  sameJson(next, live) && emptiedMembers(next).size === 0;

function uidOf({ metadata }: { readonly metadata?: unknown }): string {
  if (typeof metadata !== "object" || metadata === null || !("uid" in metadata)) return "";
  return typeof metadata.uid === "string" ? metadata.uid : "";
}

async function readApplied(kind: BoundKind, bytes: Buffer, read?: ReadJson): Promise<ApiObject> {
  const value = read === undefined ? await decodeYamlAsync(bytes) : read.value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest("the body of an apply must be an object");
  }
  const { apiVersion, kind: name } = value as Record<string, unknown>; // An object; compared only.
  if (typeof apiVersion !== "string" || typeof name !== "string") {
    throw badRequest("the body of an apply must say its apiVersion and kind");
  }
  if (kind.declaration.origin === "custom" && apiVersion === kind.apiVersion && name !== kind.kind) {
    throw badRequest(`invalid object type: ${apiVersion}, Kind=${name.slice(0, 100)}; the path is for ${kind.kind}`);
  }
  checkTypeOf(kind, value);
  return value as ApiObject; // The merge checks it against the schema.
}
