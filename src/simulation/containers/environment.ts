/** The environment of a simulated container, as agents make it: services, references to objects and fields, and `$(NAME)`. */

import type { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Container } from "../../api/core/v1/pod/container.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import type { Secret } from "../../api/core/v1/secret.ts";
import { fieldText, type NodeResources, resourceText } from "./downward.ts";
import { hostnameOf } from "./pod-files.ts";

/** What the pod refers to; undefined: it does not exist. */
export interface ReferredObjects {
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
  /** The variables of the services that the pod may see. */
  readonly services: ReadonlyMap<string, string>;
  readonly node: NodeResources;
}

/** A container cannot be created: something that it refers to is missing. */
export class MissingReference extends Error {}

/** Throws MissingReference, in the words of real agents. */
export function environmentOf(pod: Pod, container: Container, objects: ReferredObjects): ReadonlyMap<string, string> {
  const environment = new Map([
    ["PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    ["HOSTNAME", hostnameOf(pod)],
    ["HOME", "/root"],
    ...objects.services,
  ]);
  const namespace = pod.metadata.namespace ?? "";
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const ref = configMapRef ?? secretRef;
    if (ref === undefined) continue;
    const data = configMapRef ? objects.configMap(ref.name ?? "")?.data : textsOf(objects.secret(ref.name ?? ""));
    const isMissing = configMapRef ? objects.configMap(ref.name ?? "") === undefined : data === undefined;
    if (isMissing && ref.optional !== true) throw notFound(configMapRef ? "configmap" : "secret", ref.name ?? "");
    for (const [key, value] of Object.entries(data ?? {})) environment.set(prefix + key, value);
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (valueFrom === undefined) {
      environment.set(name, expandReferences(value ?? "", environment));
      continue;
    }
    const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
    if (fieldRef) environment.set(name, fieldText(pod, fieldRef));
    else if (resourceFieldRef) environment.set(name, resourceText(pod, resourceFieldRef, objects.node, container));
    else if (configMapKeyRef ?? secretKeyRef) {
      const found = keyed(namespace, valueFrom, objects);
      if (found !== undefined) environment.set(name, found);
    }
  }
  return environment;
}

type ValueFrom = NonNullable<NonNullable<Container["env"]>[number]["valueFrom"]>;

/** Undefined: it may be missing, and is. */
function keyed(
  namespace: string,
  { configMapKeyRef, secretKeyRef }: ValueFrom,
  objects: ReferredObjects,
): string | undefined {
  const { name = "", key, optional } = configMapKeyRef ?? secretKeyRef ?? { key: "" };
  const object = configMapKeyRef ? objects.configMap(name) : objects.secret(name);
  const data = configMapKeyRef ? objects.configMap(name)?.data : textsOf(objects.secret(name));
  const value = data?.[key];
  if (value !== undefined || optional === true) return value;
  if (object === undefined) throw notFound(configMapKeyRef ? "configmap" : "secret", name);
  throw new MissingReference(
    `couldn't find key ${key} in ${configMapKeyRef ? "ConfigMap" : "Secret"} ${namespace}/${name}`,
  );
}

const notFound = (kind: string, name: string) => new MissingReference(`${kind} ${JSON.stringify(name)} not found`);

const textsOf = (secret: Secret | undefined): Record<string, string> | undefined =>
  secret &&
  Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );

/** `$(NAME)` of a variable that exists is replaced, `$$` is a dollar sign, everything else stays. */
export function expandReferences(text: string, environment: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) =>
    whole === "$$" ? "$" : (environment.get(name ?? "") ?? whole),
  );
}
