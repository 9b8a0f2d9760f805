/** One object: reading it, what belongs to it, and changing it. */

import type { DiscoveredResource, Ref, ResourceAddress } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { collectionPath, objectPath, withQuery } from "../../client/requests/address.ts";
import type { JsonRequest, Sender } from "../../client/requests/send.ts";
import { patchMediaTypes } from "../../machinery/patch/media-types.ts";
import { reviewRequest, verdictOf } from "../../operations/review.ts";
import type { Connection } from "./connection.ts";
import { isJson, type Json } from "./json.ts";

/** As the server writes it: numbers keep all their digits, which they would not in JSON of a browser. */
const yaml = "application/yaml";

export async function readObject({ send }: Connection, resource: ResourceAddress, ref: Ref): Promise<Json> {
  const found = await send.json(objectPath(resource, ref));
  if (!isJson(found)) throw new Error("the answer is not an object");
  return found;
}

export function readYaml({ send }: Connection, resource: ResourceAddress, ref: Ref): Promise<string> {
  const path = objectPath(resource, ref);
  return yamlOf(send, path, {}, path);
}

/** The object as the server would store it, or has stored it. */
export function writeYaml(
  { write }: Connection,
  resource: ResourceAddress,
  ref: Ref,
  { content, isDryRun }: { readonly content: string; readonly isDryRun: boolean },
): Promise<string> {
  const options = { fieldManager: "console", fieldValidation: "Warn" };
  const trial = withQuery(objectPath(resource, ref), { ...options, dryRun: "All" });
  const path = isDryRun ? trial : withQuery(objectPath(resource, ref), options);
  return yamlOf(write, path, { method: "PUT", body: content, contentType: yaml }, trial);
}

interface AppliedObject {
  readonly resource: DiscoveredResource;
  /** "": the server chooses it. */
  readonly name: string;
  readonly namespace: string;
  readonly content: string;
}

interface ApplyOptions {
  readonly isDryRun: boolean;
  /** Takes fields over that others own with other values. */
  readonly isForced: boolean;
}

/** Makes the object what the text says, whether it is there or not; one whose name the server chooses is created. */
export function applyYaml(
  { write }: Connection,
  { resource, name, namespace, content }: AppliedObject,
  { isDryRun, isForced }: ApplyOptions,
): Promise<string> {
  const isCreated = name === "" || !resource.verbs.includes("patch");
  const address = isCreated ? collectionPath(resource, namespace) : objectPath(resource, { namespace, name });
  const options = { fieldManager: "console", fieldValidation: "Warn", ...(isCreated ? {} : { force: isForced }) };
  const trial = withQuery(address, { ...options, dryRun: "All" });
  const request = isCreated
    ? { method: "POST", body: content, contentType: yaml }
    : { method: "PATCH", body: content, contentType: patchMediaTypes.apply };
  return yamlOf(write, isDryRun ? trial : withQuery(address, options), request, trial);
}

/** Refusals come in YAML as well. `harmless`: the same request without an effect, which gets the refusal in JSON. */
async function yamlOf(send: Sender, path: string, request: JsonRequest, harmless: string): Promise<string> {
  const answer = await send.open(path, { ...request, accept: yaml, accepts: () => true });
  if (answer.ok) return answer.text();
  await answer.text();
  await send.open(harmless, request);
  throw new Error(`the server answered with status ${answer.status}; try again`);
}

/** Changes what the merge patch names, and leaves the rest. */
export async function patchObject(
  { write }: Connection,
  resource: ResourceAddress,
  ref: Ref,
  patch: Json,
): Promise<void> {
  const path = withQuery(objectPath(resource, ref), { fieldManager: "console" });
  await write.open(path, { method: "PATCH", body: patch, contentType: patchMediaTypes.merge });
}

/** The object as a merge patch would make it. */
export function tryPatch({ write }: Connection, resource: ResourceAddress, ref: Ref, patch: Json): Promise<string> {
  const path = withQuery(objectPath(resource, ref), { fieldManager: "console", dryRun: "All" });
  return yamlOf(write, path, { method: "PATCH", body: patch, contentType: patchMediaTypes.merge }, path);
}

/** Only the object that was shown, not another one that has its name by now. */
export async function deleteObject(
  { write }: Connection,
  resource: ResourceAddress,
  { uid, ...ref }: { readonly name: string; readonly namespace: string; readonly uid: string },
): Promise<void> {
  const preconditions = { uid };
  const body = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background", preconditions };
  await write.open(objectPath(resource, ref), { method: "DELETE", body });
}

interface Access {
  readonly connection: Connection;
  readonly discovery: Discovery;
  readonly resource: ResourceAddress;
  readonly ref: Ref;
  /** Default: the object itself. */
  readonly subresource?: string;
}

/** Whether the user may do it. Where the server cannot say, the attempt will. */
export async function may(verb: string, access: Access): Promise<boolean> {
  const { connection, discovery, resource, ref, subresource = "" } = access;
  if (connection.facts.isReadOnly && verb !== "get") return false;
  const review = discovery.find("selfsubjectaccessreviews");
  if (review === undefined) return true;
  const { name, namespace = "" } = ref;
  const resourceAttributes = {
    verb,
    group: resource.group,
    resource: resource.resource,
    subresource,
    name,
    namespace,
  };
  const { path, body } = reviewRequest(review, { resourceAttributes });
  return verdictOf(await connection.send.json(path, { body }).catch(() => undefined)).isAllowed !== false;
}
