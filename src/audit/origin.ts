/** The members of an event that say who asked for what, from `requestURI` to `objectRef`. */

import { checkAnswer, checksCaches } from "../base/cache-check.ts";
import type { User } from "../machinery/meta/user.ts";
import type { AuditedRequest, AuditedTarget, ObjectNames } from "./contract.ts";
import { member, printUser, quote } from "./members.ts";

/** Longer user agents are truncated, as in v1.21. */
export const userAgentCharsMax = 1_024;

/** URIs whose text is cached, since programs read the same few again and again. When there are more, all are dropped. */
export const cachedUrisMax = 1_000;
const cachedUriCharsMax = 300;
const latestByUri = new Map<string, Printed>();

/**
 * The newest request for a URI, as events show it. Requests that impersonate, or that name an object beyond the path, are not
 * cached. The target follows from URI and verb; users never change.
 */
interface Printed {
  readonly verb: string;
  readonly user: User | undefined;
  readonly client: string;
  readonly text: string;
}

/** `names` are those of the object; undefined: those in the path. */
export function printOrigin(
  request: AuditedRequest,
  impersonated: User | undefined,
  names: ObjectNames | undefined,
): string {
  const client = printClient(request);
  if (impersonated !== undefined || names !== undefined) return print(request, client, impersonated, names);
  const { uri, user } = request;
  const { verb } = request.target;
  const latest = latestByUri.get(uri);
  if (latest?.verb === verb && latest.user === user && latest.client === client) {
    if (checksCaches) checkAnswer("origins of requests", latest.text, print(request, client, impersonated, names));
    return latest.text;
  }
  const text = print(request, client, impersonated, names);
  // A query often differs from request to request.
  if (uri.length <= cachedUriCharsMax && !uri.includes("?")) {
    if (latest === undefined && latestByUri.size >= cachedUrisMax) latestByUri.clear();
    latestByUri.set(uri, { verb, user, client, text });
  }
  return text;
}

function print(
  { uri, target, user }: AuditedRequest,
  client: string,
  impersonated: User | undefined,
  names: ObjectNames | undefined,
): string {
  return [
    `,"requestURI":${quote(uri)}`,
    `,"verb":${quote(target.verb)}`,
    `,"user":${user === undefined ? "{}" : printUser(user)}`,
    impersonated === undefined ? "" : `,"impersonatedUser":${printUser(impersonated)}`,
    client,
    printReference(target, names ?? target),
  ].join("");
}

function printReference(target: AuditedTarget, names: ObjectNames): string {
  if (!target.isResource) return "";
  const { resource, group, version, subresource } = target;
  const { namespace, name, uid, resourceVersion } = names;
  const members =
    member("resource", resource) +
    member("namespace", namespace) +
    member("name", name) +
    member("uid", uid) +
    member("apiGroup", group) +
    member("apiVersion", version) +
    member("resourceVersion", resourceVersion) +
    member("subresource", subresource);
  return `,"objectRef":{${members.slice(1)}}`;
}

/** The client of the request before, which is often that of the next. */
let latestClient = { ip: "", agent: "", text: "" };

function printClient({ sourceIps, userAgent }: AuditedRequest): string {
  const ip = sourceIps.length === 1 ? sourceIps[0]! : "";
  if (ip !== "" && ip === latestClient.ip && userAgent === latestClient.agent) return latestClient.text;
  const agent =
    userAgent.length > userAgentCharsMax ? `${userAgent.slice(0, userAgentCharsMax)}...TRUNCATED` : userAgent;
  const text = (sourceIps.length === 0 ? "" : `,"sourceIPs":${JSON.stringify(sourceIps)}`) + member("userAgent", agent);
  latestClient = { ip, agent: userAgent, text };
  return text;
}
