/** One request as a line of curl, of ctl and of TypeScript. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { collectionPath, objectPath } from "../../client/requests/address.ts";
import { patchMediaTypes } from "../../machinery/patch/media-types.ts";

/** The verbs that a request can be built for, with their methods. */
export const requestMethods: Readonly<Record<string, string>> = {
  list: "GET",
  get: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
};

interface BuiltRequest {
  readonly verb: string;
  readonly resource: DiscoveredResource;
  readonly namespace: string;
  readonly name: string;
}

interface RequestForms {
  readonly method: string;
  readonly path: string;
  readonly curl: string;
  readonly ctl: string;
  readonly typescript: string;
}

export function formsOf({ verb, resource, namespace, name }: BuiltRequest): RequestForms {
  const isOne = ["get", "update", "patch", "delete"].includes(verb);
  const ref = { name: name || "NAME", namespace: resource.namespaced ? namespace || "default" : "" };
  const scope = verb === "create" && resource.namespaced ? ref.namespace : namespace;
  const base = isOne ? objectPath(resource, ref) : collectionPath(resource, resource.namespaced ? scope : undefined);
  const path = verb === "watch" ? `${base}?watch=true` : base;
  const method = requestMethods[verb] ?? "GET";
  return {
    method,
    path,
    curl: curlOf(method, path),
    ctl: ctlOf(verb, resource, ref, namespace),
    typescript: codeOf(verb, resource, ref, namespace),
  };
}

const bodies: Readonly<Record<string, string>> = {
  POST: "-H 'Content-Type: application/yaml' --data-binary @object.yaml",
  PUT: "-H 'Content-Type: application/yaml' --data-binary @object.yaml",
  PATCH: `-H 'Content-Type: ${patchMediaTypes.merge}' -d '{"metadata":{"labels":{"app":"web"}}}'`,
};

function curlOf(method: string, path: string): string {
  const words = [
    'curl --cacert ca.crt -H "Authorization: Bearer $TOKEN"',
    method === "GET" ? "" : `-X ${method}`,
    bodies[method] ?? "",
  ];
  return [...words.filter(Boolean), `"$SERVER"${quoted(path)}`].join(" ");
}

interface Named {
  readonly name: string;
  readonly namespace: string;
}

function ctlOf(verb: string, resource: DiscoveredResource, ref: Named, namespace: string): string {
  const kind = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  const one = `${kind} ${quoted(ref.name)}${ref.namespace === "" ? "" : ` -n ${quoted(ref.namespace)}`}`;
  const where = !resource.namespaced ? "" : namespace === "" ? " -A" : ` -n ${quoted(namespace)}`;
  if (verb === "get") return `ctl get ${one} -o yaml`;
  if (verb === "list") return `ctl get ${kind}${where}`;
  if (verb === "watch") return `ctl get ${kind}${where} --watch`;
  if (verb === "create") return "ctl create -f object.yaml";
  if (verb === "update") return "ctl replace -f object.yaml";
  if (verb === "patch") return `ctl patch ${one} --type=merge -p '{"metadata":{"labels":{"app":"web"}}}'`;
  return `ctl delete ${one}`;
}

function codeOf(verb: string, { group, version, resource }: DiscoveredResource, ref: Named, namespace: string): string {
  const target = JSON.stringify(ref.namespace === "" ? ref.name : `${ref.namespace}/${ref.name}`);
  const place = namespace === "" ? "" : `{ namespace: ${JSON.stringify(namespace)} }`;
  const calls: Readonly<Record<string, string>> = {
    list: `for await (const object of objects.list(${place})) console.log(object.metadata.name);`,
    get: `console.log(await objects.get(${target}));`,
    watch: `for await (const { type, object } of objects.watch(${place})) console.log(type, object.metadata.name);`,
    create: "await objects.create(object);",
    update: "await objects.update(object);",
    patch: `await objects.patch(${target}, { metadata: { labels: { app: "web" } } });`,
    delete: `await objects.delete(${target});`,
  };
  return [
    'import { connect } from "orch/client";',
    "",
    "const client = await connect();",
    `const objects = await client.resource(${JSON.stringify({ group, version, plural: resource })});`,
    calls[verb] ?? "",
  ].join("\n");
}

/** As one word of a shell. */
const quoted = (text: string): string => (/^[\w./:@%+,=?-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
