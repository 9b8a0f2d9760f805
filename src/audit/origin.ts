/** The members of an event that say who asked for what, from `requestURI` to `objectRef`. */

import { checkAnswer, checksCaches } from "../base/cache-check.ts";
import { latestAnswer } from "../base/latest-answer.ts";
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
  const { sourceIps, userAgent } = request;
  const client = printClient({ sourceIps, userAgent });
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

type Client = Pick<AuditedRequest, "sourceIps" | "userAgent">;

/** The client of a request is often that of the one before. */
const printClient = latestAnswer("clients of requests", printNewClient, isSameClient);

function isSameClient(one: Client, other: Client): boolean {
  return (
    one.userAgent === other.userAgent &&
    one.sourceIps.length === 1 &&
    other.sourceIps.length === 1 &&
    one.sourceIps[0] === other.sourceIps[0]
  );
}

function printNewClient({ sourceIps, userAgent }: Client): string {
  const agent =
    userAgent.length > userAgentCharsMax ? `${userAgent.slice(0, userAgentCharsMax)}...TRUNCATED` : userAgent;
  return (sourceIps.length === 0 ? "" : `,"sourceIPs":${JSON.stringify(sourceIps)}`) + member("userAgent", agent);
}
