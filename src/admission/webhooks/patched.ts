/** Applies the JSON patch of a mutating webhook, with the limits of a client's patch, to the object that the webhook was shown. */

import { decodeJsonAsync } from "../../machinery/json/json.ts";
import { bodyBytesMax, nestingMax } from "../../machinery/json/json-gate.ts";
import { jsonBytes } from "../../machinery/json/json-size.ts";
import { getOwn, isObject } from "../../machinery/json/json-value.ts";
import { applyJsonPatch, jsonPatchDialect } from "../../machinery/patch/json-patch.ts";
import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import { decodeKind } from "../../machinery/schema/decode-kind.ts";
import { badRequest, internalError, StatusError, tooLarge } from "../../machinery/status/status.ts";
import type { AdmissionRequest, VersionedObjects } from "../../registry/contract/admission.ts";
import { shownKind } from "../review.ts";
import { jsonPatch, type WebhookVerdict } from "./answer.ts";
import { CallFailure } from "./denial.ts";
import type { WebhookCandidate } from "./webhook-index.ts";

interface PatchedObject {
  readonly changed: boolean;
  /** The operations; undefined: there were none. */
  readonly patch: readonly unknown[] | undefined;
}

/**
 * Refuses the request where the patch cannot be applied, whatever the failure policy: the webhook did answer. Throws
 * CallFailure if the patch cannot be read.
 */
export async function applyPatch(
  catalog: Catalog,
  request: AdmissionRequest,
  candidate: WebhookCandidate,
  { patch, patchType }: WebhookVerdict,
  { object }: VersionedObjects,
): Promise<PatchedObject> {
  const operations = patch.length === 0 ? [] : await readOperations(patch);
  if (operations.length === 0) return { changed: false, patch: undefined };
  const { name } = candidate.webhook;
  try {
    if (object === undefined || request.operation === "CONNECT")
      throw internalError(
        `admission webhook "${name}" attempted to modify the object, which is not supported for this operation`,
      );
    if (patchType !== jsonPatch) throw new CallFailure(`unsupported patch type "${patchType.slice(0, 100)}"`);
    const patched = applyJsonPatch(object, operations, jsonPatchDialect(catalog.environment));
    if (!isObject(patched)) throw badRequest("the result must be an object");
    if (jsonBytes(patched, bodyBytesMax, nestingMax) > bodyBytesMax) throw tooLarge("the result is too large");
    const kind = kindOfResult(catalog, request, candidate.kind, patched);
    return { changed: await request.replace(patched, kind), patch: operations };
  } catch (error) {
    if (!(error instanceof StatusError) || error.code >= 500) throw error;
    throw internalError(`the patch of admission webhook "${name}" cannot be applied: ${error.message}`, error);
  }
}

/** Libraries that compute a patch as a list without items send null where nothing changes. */
async function readOperations(patch: Buffer): Promise<readonly unknown[]> {
  let operations: unknown;
  try {
    operations = await decodeJsonAsync(patch);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new CallFailure(`the patch in its answer cannot be read: ${error.message}`, { cause: error });
  }
  if (operations === null) return [];
  if (!Array.isArray(operations) || !operations.every((one) => one === null || isObject(one)))
    throw new CallFailure("the patch in its answer is not a list of operations, each an object");
  return operations;
}

/** A patch may choose another version of the same resource. Another kind is refused. */
function kindOfResult(
  catalog: Catalog,
  request: AdmissionRequest,
  kind: BoundKind,
  patched: Readonly<Record<string, unknown>>,
): BoundKind {
  const shown = shownKind(kind, request);
  const shownVersion = shown.group === "" ? shown.version : `${shown.group}/${shown.version}`;
  const text = (member: string, fallback: string) => String(getOwn(patched, member) || fallback);
  const [apiVersion, name] = [text("apiVersion", shownVersion), text("kind", shown.kind)];
  if (apiVersion === shownVersion && name === shown.kind) return kind;
  const slash = apiVersion.indexOf("/");
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
  const other = catalog.byKind(group, version, name);
  if (other === undefined) throw badRequest(`there is no kind "${name}" in version "${apiVersion}"`);
  if (other.family === kind.family) return other;
  decodeKind(other, patched);
  throw new StatusError(undefined, `${shownVersion} ${shown.kind} cannot be converted to ${apiVersion} ${name}`, {
    code: 500,
  });
}
