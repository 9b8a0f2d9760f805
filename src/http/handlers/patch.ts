/** PATCH: four ways to change an object without sending all of it. The content type selects one. */

import { atOnceBytesMax, inTimeSlices, run, type Steps, TimeSlice, wait } from "../../base/time-slice.ts";
import { decodeYaml } from "../../machinery/codec/yaml.ts";
import {
  decodeJson,
  decodeJsonAsync,
  parsedAtOnceBytesMax,
  type ReadJson,
  readJson,
} from "../../machinery/json/json.ts";
import { getOwn, isObject as isMembers, type JsonObject, setOwn } from "../../machinery/json/json-value.ts";
import { jsonPatchDialect, jsonPatchSteps } from "../../machinery/patch/json-patch.ts";
import type { PatchType } from "../../machinery/patch/media-types.ts";
import { applyMergePatch, mergeDialect } from "../../machinery/patch/merge-patch.ts";
import { json, list, string, struct } from "../../machinery/schema/build.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import {
  declaredMembers,
  isFaultless,
  knownTo,
  strictProblemsSteps,
  unknownMembersSteps,
} from "../../machinery/schema/strict-fields.ts";
import { invalid } from "../../machinery/status/field-error.ts";
import { badRequest, notFound, StatusError } from "../../machinery/status/status.ts";
import type { UpdateFunction } from "../../registry/contract/registry.ts";
import { replyAbout } from "../answer/reply.ts";
import { auditValue } from "../audit/request-object.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";
import { readApply } from "./apply.ts";
import { requestConventionsOf } from "./conventions.ts";
import { checkName } from "./decode-body.ts";
import { readFieldValidation, validateApplied } from "./field-validation.ts";
import { warnOfMissed } from "./missed-members.ts";
import { readPatchOptions, writeContext } from "./options.ts";
import { readPatchType } from "./patch-type.ts";
import { sendSubresource } from "./subresource-view.ts";
import { acceptedKind, type HandledTarget } from "./target.ts";

export async function patch(context: ServerContext, call: Call, target: HandledTarget): Promise<void> {
  const { kind, ref, subresource } = target;
  const accepted = acceptedKind(context, target);
  const type = readPatchType(call.exchange, kind);
  const reply = replyAbout(context, call, kind, subresource);
  const bytes = await context.bodies.read(call);
  const isApply = type === "apply";
  auditValue(call, () => (isApply ? decodeYaml(bytes) : decodeJson(bytes)));
  const { mode, problems } = readFieldValidation(context, call);
  const options = readPatchOptions(call.info.query, isApply, context.metaGroup, problems);
  const report = mode === "Ignore" ? undefined : createReport(call, mode);

  if (subresource === undefined) warnOfMissed(call, kind, bytes);
  const preparing = (accepted ?? kind).codec.prepare?.();
  if (preparing !== undefined) await inTimeSlices(preparing);
  const write = writeContext(call, options);
  const { change, uid, read } = isApply
    ? await readApply(context, call, target, { bytes, options })
    : { change: createPatch(accepted ?? kind, ref, { type, bytes, report }), uid: "", read: undefined };
  if (isApply) await validateApplied(call, mode, bytes, read);
  const { entry, created } = await context.registry.update(kind, ref, change, write, {
    subresource: subresource?.name,
    uid,
    createIfMissing: isApply && subresource === undefined,
    apply: isApply,
    patch: !isApply,
    retry: true,
    fresh: true,
  });
  call.mark("store");
  if (created) reply.code = 201;
  return sendSubresource(reply, target, entry);
}

interface PatchBody {
  readonly type: PlainPatch;
  readonly bytes: Buffer;
  readonly report: Report | undefined;
}

type Report = (document: unknown, problems: readonly string[]) => void;

/** Fields that the kind does not have are errors of the patch (422), not of the request, or warnings. */
function createReport(call: Call, mode: "Warn" | "Strict"): Report {
  let isReported = false;
  return (document, problems) => {
    if (problems.length > 0 && mode === "Strict")
      throw wrongPatch(document, `strict decoding error: ${problems.join(", ")}`);
    // A retry finds the same problems.
    if (!isReported) for (const problem of problems) call.warn(problem);
    isReported = true;
  };
}

/** The operations of a JSON patch have known members; other patches look like the object, which is checked as a whole. */
function* problemsOf({ type, bytes }: PatchBody, read: ReadJson): Steps<readonly string[]> {
  const known = type === "json" ? jsonPatchOperations : undefined;
  const text = () => bytes.toString("utf8");
  if (bytes.length <= atOnceBytesMax && isFaultless(read, known, text)) return [];
  const problems = yield* strictProblemsSteps(text(), known);
  return type === "json" ? problems.map((problem) => `json patch ${problem}`) : problems;
}

const jsonPatchOperations = declaredMembers(
  list(struct("JSONPatchOperation", { op: string(), path: string(), from: string(), value: json() })).schema,
);

type PlainPatch = Exclude<PatchType, "apply">;

/**
 * The body is decoded only if the object exists: a patch of a missing object is 404, even if the body is invalid. `kind` is the
 * kind that clients of the path see.
 */
function createPatch(kind: BoundKind, ref: HandledTarget["ref"], body: PatchBody): UpdateFunction {
  const patch: Patching = { kind, ref, body, document: undefined };
  // One generator function for all requests: each new one would make a hidden class.
  return (current) => run(patchedFrom(patch, current), new TimeSlice());
}

/** What a patch needs to make the next state, perhaps several times. */
interface Patching {
  readonly kind: BoundKind;
  readonly ref: HandledTarget["ref"];
  readonly body: PatchBody;
  /** The body, decoded. Undefined: it has not been needed yet. */
  document: ReadJson | undefined;
}

function* patchedFrom(patch: Patching, current: ApiObject | undefined): Steps<ApiObject> {
  const { kind, ref, body } = patch;
  const { type, report } = body;
  if (current === undefined) throw notFound({ group: kind.group, kind: kind.resource }, ref.name);
  patch.document ??= yield* readPatch(body);
  const { value: document } = patch.document;
  if (report && type === "merge" && !isObject(document)) throw badRequest("a merge patch must be an object");
  // A view of another kind (a Scale) does not say its type.
  const isTyped = current.kind === kind.kind && current.apiVersion === kind.apiVersion;
  const shown = isTyped ? current : { ...current, kind: kind.kind, apiVersion: kind.apiVersion };
  const inBody = report === undefined ? [] : yield* problemsOf(body, patch.document);
  const check = report && ((unknown: readonly string[]) => report(document, [...inBody, ...unknown]));
  const next = yield* patched(kind, { type, document, check }, shown);
  checkName(next, ref);
  return next;
}

function* readPatch({ bytes }: PatchBody): Steps<ReadJson> {
  if (bytes.length <= parsedAtOnceBytesMax) return readJson(bytes);
  // How many members it has is not asked.
  return { value: yield* wait(decodeJsonAsync(bytes)), members: Number.NaN };
}

/** `null` counts as an object without members. */
const isObject = (value: unknown): boolean => typeof value === "object" && !Array.isArray(value);

interface Patch {
  readonly type: PlainPatch;
  readonly document: unknown;
  /** Called with the problems of the result before fields that the kind does not have are dropped. Absent: they are not looked for. */
  readonly check: ((unknown: readonly string[]) => void) | undefined;
}

function* patched(kind: BoundKind, { type, document, check }: Patch, current: ApiObject): Steps<ApiObject> {
  const result =
    type === "json"
      ? yield* jsonPatchSteps(current, document, jsonPatchDialect(kind.family.environment))
      : type === "merge"
        ? applyMergePatch(current, document, mergeDialect(kind.family.environment))
        : kind.codec.mergeStrategically?.(current, document);
  yield;
  if (typeof result !== "object" || result === null || Array.isArray(result)) {
    throw wrongPatch(document, "the result must be an object");
  }
  const members = result as JsonObject; // neither a list nor null
  const problem = type === "strategic" ? undefined : requestConventionsOf(kind).patchProblem(kind, members);
  if (problem !== undefined) throw wrongPatch(document, problem);
  const decoded = yield* decodeResult(kind, { result, document, current });
  if (check !== undefined) {
    yield;
    const checked = kind.declaration.origin === "custom" ? result : changedMembers(members, current);
    check(yield* unknownMembersSteps(checked, knownTo(kind.codec)));
  }
  return decoded;
}

/**
 * What a patch has changed. The rest was read as this kind, which drops fields that it does not have; that of a custom kind may have any.
 * Lists are whole, so that the items of one keep their numbers.
 */
function changedMembers(next: JsonObject, before: Readonly<JsonObject>): JsonObject {
  const changed: JsonObject = {};
  for (const name in next) {
    const [member, old] = [next[name], getOwn(before, name)];
    if (member === old) continue;
    setOwn(changed, name, isMembers(member) && isMembers(old) ? changedMembers(member, old) : member);
  }
  return changed;
}

/** Here a value of a wrong type is an error of the patch (422), not a bad request. */
function* decodeResult(
  { codec }: BoundKind,
  { result, document, current }: { readonly result: object; readonly document: unknown; readonly current: ApiObject },
): Steps<ApiObject> {
  try {
    return codec.decodeInSteps === undefined ? codec.decode(result) : yield* codec.decodeInSteps(result, current);
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "BadRequest") throw error;
    throw wrongPatch(document, error.message);
  }
}

function wrongPatch(document: unknown, detail: string): StatusError {
  const problem = invalid("patch", document, detail);
  return new StatusError("Invalid", `the patch is invalid: ${problem.field}: ${problem.message}`, {
    details: { causes: [{ ...problem }] },
  });
}
