/** At --v=4 logs one line for each write of a controller: which object, which verb, and why. */

import { isDeepStrictEqual } from "node:util";
import type { Log } from "../base/log.ts";
import type { AnyObject, Client, Ref, ResourceAddress, ResourceClient, WriteOptions } from "../client/contract.ts";
import { isObject } from "../machinery/json/json-value.ts";
import { reconciledKey } from "./causes.ts";

/** The level of --v from which writes are logged. */
const writesVerbosity = 4;
/** Fields that one line names; a larger change shows how many more there are. */
export const loggedFieldsMax = 8;
/** How deep fields are compared: "spec.template.spec" says enough. */
const depthMax = 3;

interface WriteLogOptions {
  readonly controller: string;
  readonly log: Log;
  /** The state that the controller knew, to show what a write changes. Undefined: not known. */
  known(address: ResourceAddress, ref: Ref): AnyObject | undefined;
}

export const logsWrites = ({ verbosity = 0 }: Log): boolean => verbosity >= writesVerbosity;

/** Logs every write of the client before it is sent. */
export function withWriteLog(client: Client, options: WriteLogOptions): Client {
  return {
    ...client,
    of: (kind) => loggedResource(client.of(kind), options),
    at: (address) => loggedResource(client.at(address), options),
    metadata: (address) => loggedResource(client.metadata(address), options),
  };
}

function loggedResource<T extends AnyObject>(
  resource: ResourceClient<T>,
  { controller, log, known }: WriteLogOptions,
): ResourceClient<T> {
  const { address } = resource;
  const note = (verb: string, ref: Ref, given: WriteOptions | undefined, derived: () => string, part = "") => {
    const { group, resource: plural } = address;
    const name = ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name;
    const key = reconciledKey();
    log.info("controller write", {
      controller,
      verb,
      object: `${group === "" ? plural : `${plural}.${group}`}${part === "" ? "" : `/${part}`} ${name}`,
      reason: given?.reason ?? derived(),
      ...(key === undefined ? {} : { reconciling: key }),
    });
  };
  const changesOf = (next: unknown, ref: Ref) => () => changedFields(known(address, ref), next);
  return {
    ...resource,
    create(object, given) {
      note("create", refOf(object), given, () => ownerOf(object));
      return resource.create(object, given);
    },
    update(object, given) {
      note("update", refOf(object), given, changesOf(object, refOf(object)));
      return resource.update(object, given);
    },
    updateStatus(object, given) {
      note("update", refOf(object), given, changesOf(object, refOf(object)), "status");
      return resource.updateStatus(object, given);
    },
    patch(ref, patch, given) {
      note("patch", ref, given, () => patchedFields(patch), given?.subresource);
      return resource.patch(ref, patch, given);
    },
    delete(ref, given) {
      note("delete", ref, given, () => "it is not needed any more");
      return resource.delete(ref, given);
    },
    deleteCollection(query, given) {
      const ref = { namespace: query.namespace, name: "*" };
      note("deletecollection", ref, given, () => "they are not needed any more");
      return resource.deleteCollection(query, given);
    },
    subresource(ref, name, body, method, given) {
      if (body !== undefined)
        note(method === "PUT" ? "update" : "create", ref, undefined, () => `asks for ${name}`, name);
      return resource.subresource(ref, name, body, method, given);
    },
  };
}

const refOf = ({ metadata }: AnyObject): Ref => ({
  namespace: metadata.namespace,
  name: metadata.name ?? `${metadata.generateName ?? ""}*`,
});

function ownerOf({ metadata }: AnyObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner === undefined ? "it is missing" : `${owner.kind} ${owner.name} needs it`;
}

/** "changes spec.replicas": values are omitted, because some are secret. */
function changedFields(before: AnyObject | undefined, after: unknown): string {
  if (before === undefined) return "changes an object that is not cached";
  const paths: string[] = [];
  compare(before, after, "", 0, paths);
  return describe(paths.filter((path) => !serverFields.has(path)));
}

/** Members that the server or the transport adds. */
const serverFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata.managedFields"]);

function compare(before: unknown, after: unknown, path: string, depth: number, paths: string[]): void {
  if (isDeepStrictEqual(before, after)) return;
  if (depth >= depthMax || !isObject(before) || !isObject(after)) {
    paths.push(path);
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compare(before[name], after[name], path === "" ? name : `${path}.${name}`, depth + 1, paths);
  }
}

function patchedFields(patch: unknown): string {
  if (Array.isArray(patch)) return describe(patch.map((operation: { path?: unknown }) => String(operation?.path)));
  const paths: string[] = [];
  compare({}, patch, "", 0, paths);
  const preconditions = new Set(["metadata.uid", "metadata.resourceVersion"]);
  return describe(paths.flatMap((path) => leaves(patch, path)).filter((path) => !preconditions.has(path)));
}

/** The fields under a part that is only in the patch. */
function leaves(value: unknown, path: string): readonly string[] {
  let at = value;
  for (const name of path.split(".")) at = isObject(at) ? at[name] : undefined;
  return isObject(at) && path.split(".").length < depthMax
    ? Object.keys(at).flatMap((name) => leaves(value, `${path}.${name}`))
    : [path];
}

function describe(paths: readonly string[]): string {
  if (paths.length === 0) return "changes nothing that is cached";
  const more = paths.length - loggedFieldsMax;
  return `changes ${paths.slice(0, loggedFieldsMax).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
