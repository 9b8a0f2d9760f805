/** Converts objects of a defined resource between its versions, through the one that the program works with. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { AnyDeclaration, DefinedResource } from "./define-resource.ts";

export type Convert = (object: ApiObject, apiVersion: string) => ApiObject;

/**
 * One function for several resources: `serveWebhook({ convert: convertOf([Widget, Gadget]) })`.
 * @example
 * await serveWebhook({ certFile, keyFile, port: 9443, convert: convertOf([Widget]) });
 */
export function convertOf(resources: readonly DefinedResource<unknown>[]): Convert {
  return (object, apiVersion) => {
    const resource = resources.find(({ group, kind }) => kind === object.kind && group === groupOf(object.apiVersion));
    if (resource === undefined)
      throw new TypeError(`${object.apiVersion} ${object.kind} is not a resource of this webhook`);
    return resource.convert(object, apiVersion);
  };
}

export function converterOf(declared: AnyDeclaration): Convert {
  const { group, kind, version: hub, versions = {} } = declared;
  const versionOf = (apiVersion: string | undefined): string => {
    const version = apiVersion?.slice(group.length + 1) ?? "";
    const isKnown = version === hub || Object.hasOwn(versions, version);
    if (groupOf(apiVersion) === group && isKnown) return version;
    throw new TypeError(`${kind} has no version ${apiVersion}`);
  };
  return (object, apiVersion) => {
    const from = versionOf(object.apiVersion);
    const to = versionOf(apiVersion);
    if (object.kind !== kind) throw new TypeError(`a ${object.kind} is not a ${kind}`);
    if (from === to) return object;
    const inHub = changed(object, `${group}/${hub}`, from === hub ? undefined : versions[from]?.toHub);
    return changed(inHub, apiVersion, to === hub ? undefined : versions[to]?.fromHub);
  };
}

/** The identity of the object stays, whatever the function returns: a server refuses other answers. */
function changed(
  object: ApiObject,
  apiVersion: string,
  convert: ((object: never) => { readonly metadata?: object }) | undefined,
): ApiObject {
  if (convert === undefined || object.apiVersion === apiVersion) return { ...object, apiVersion };
  // The object has the version of the function. It may change what it gets.
  const { metadata, ...members } = convert(structuredClone(object) as never);
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = members as Partial<ApiObject>; // a function may return a whole object
  return { apiVersion, kind: object.kind ?? "", ...rest, metadata: relabelled(object.metadata, metadata) };
}

function relabelled(before: ApiObject["metadata"], given: object | undefined): ApiObject["metadata"] {
  if (given === undefined) return before;
  const { labels: _labels, annotations: _annotations, ...rest } = before;
  const { labels, annotations } = given as Pick<ApiObject["metadata"], "labels" | "annotations">; // its type says so
  return {
    ...rest,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

const groupOf = (apiVersion = ""): string => apiVersion.slice(0, Math.max(apiVersion.indexOf("/"), 0));
