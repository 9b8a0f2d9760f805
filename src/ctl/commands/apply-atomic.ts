/** `apply --atomic`: all objects are stored in one transaction of the server, or none is. */

import { refusedOperation, sendTransaction, type TransactionOperation } from "../../client/requests/transactions.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { namespaceFor, resourceOf } from "../input/lookups.ts";
import type { Manifest } from "../input/manifests.ts";
import { isJson, type Json, nameOf } from "../json.ts";
import type { DryRun } from "../output/formats.ts";
import type { ChangesSince } from "../write/changes-since.ts";
import { checkManifest, fieldValidationOf } from "../write/check.ts";
import { recorded } from "../write/notes.ts";
import { managerOf, withNamespace } from "../write/write-options.ts";

interface Atomic {
  readonly dryRun: DryRun;
  readonly changes: ChangesSince;
  readonly isForced: boolean;
}

/** The objects as they are stored now, in the order of the manifests, and what happened to each. */
export async function applyAtomically(
  context: Context,
  manifests: readonly Manifest[],
  { dryRun, changes, isForced }: Atomic,
) {
  const manager = managerOf(context, "");
  const operations: TransactionOperation[] = [];
  const targets = [];
  for (const given of manifests) {
    await checkManifest(context, given);
    const resource = await resourceOf(context, given.object, given.source);
    const namespace = resource.namespaced ? namespaceFor(context, given.object) : "";
    const manifest = await recorded(context, withNamespace(given.object, resource, namespace));
    const name = nameOf(manifest);
    if (name === "") throw new CtlError(`${given.source}: metadata.name must be set`);
    operations.push({ operation: "apply", object: manifest, fieldManager: manager, force: isForced });
    const isChanged = await changes.watch({ resource, namespace, name });
    targets.push({ resource, namespace, manifest, source: given.source, isChanged });
  }
  const results = await sendTransaction(context.session.send, operations, {
    dryRun: dryRun === "server",
    fieldValidation: await fieldValidationOf(context),
    signal: context.signal,
  }).catch((error: unknown) => {
    throw inManifest(manifests, error);
  });
  return targets.map(({ isChanged, ...target }, at) => {
    const { code, object } = results[at] ?? { code: 0, object: undefined };
    const result: Json = isJson(object) ? object : {};
    const operation = code === 201 ? "created" : isChanged(result) ? "configured" : "unchanged";
    return { ...target, result, operation };
  });
}

/** The refusal names an operation; people look for a file. */
function inManifest(manifests: readonly Manifest[], error: unknown): unknown {
  if (!(error instanceof StatusError)) return error;
  const refused = refusedOperation(error);
  const source = refused && manifests[refused.at]?.source;
  if (refused === undefined || source === undefined) return error;
  return new CtlError(`${source}: ${refused.message}\nnothing was applied`, { cause: error });
}
