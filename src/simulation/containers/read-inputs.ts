/** Reads the objects that a simulated pod refers to, from the server. */

import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { Service } from "../../api/core/v1/service.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { Clock } from "../../base/clock.ts";
import { LruMap } from "../../base/lru-map.ts";
import type { AnyObject, Client, ServedKind } from "../../client/contract.ts";
import { hasReason } from "../../client/requests/send.ts";
import { isObject, textAt } from "../../machinery/json/json-value.ts";
import type { NodeResources } from "./downward.ts";
import { inputsOf, type PodInputs } from "./inputs.ts";
import { serviceVariables } from "./service-variables.ts";
import { isAccountVolume } from "./volumes.ts";

/** Services of a namespace that containers get variables of. */
export const servicesMax = 1_000;
/** For how long the variables of services are used again. */
const servicesMs = 5_000;
/** Objects that several pods share in memory. */
const sharedObjectsMax = 256;

interface InputsWanted {
  /** Whether commands are run, which get an environment and see services. */
  readonly forCommands: boolean;
  /** Whether a token of the pod's account is wanted. */
  readonly withToken: boolean;
}

export class InputReader {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #node: NodeResources;
  readonly #shared = new LruMap<string, AnyObject>(sharedObjectsMax);
  readonly #services = new LruMap<string, { readonly atMs: number; readonly variables: ReadonlyMap<string, string> }>(
    100,
  );

  constructor(client: Client, clock: Clock, node: NodeResources) {
    this.#client = client;
    this.#clock = clock;
    this.#node = node;
  }

  async read(pod: Pod, { forCommands, withToken }: InputsWanted): Promise<PodInputs> {
    const namespace = pod.metadata.namespace ?? "";
    const named = referencesOf(pod, withToken);
    const configMaps = await this.#all(ConfigMap, namespace, named.configMaps);
    const secrets = await this.#all(Secret, namespace, named.secrets);
    return inputsOf(pod, {
      nowMs: this.#clock.now(),
      configMap: (name) => configMaps.get(name),
      secret: (name) => secrets.get(name),
      services: forCommands ? await this.#variables(namespace, pod.spec?.enableServiceLinks !== false) : new Map(),
      node: this.#node,
      token: withToken ? await this.#token(pod) : undefined,
    });
  }

  async #all<T extends AnyObject>(kind: ServedKind<T>, namespace: string, names: ReadonlySet<string>) {
    const found = new Map<string, T>();
    for (const name of names) {
      const object = await this.#client
        .of(kind)
        .get({ namespace, name })
        .catch((error: unknown) => {
          if (hasReason(error, "NotFound")) return undefined;
          throw error;
        });
      if (object === undefined) continue;
      const key = `${kind.kind}/${namespace}/${name}/${object.metadata.uid}/${object.metadata.resourceVersion}`;
      const known = this.#shared.get(key);
      if (known === undefined) this.#shared.set(key, object);
      found.set(name, (known as T | undefined) ?? object); // the key names the kind
    }
    return found;
  }

  /** The service of the server is always seen. */
  async #variables(namespace: string, hasLinks: boolean): Promise<ReadonlyMap<string, string>> {
    const key = `${namespace}/${hasLinks}`;
    const known = this.#services.get(key);
    if (known !== undefined && this.#clock.now() - known.atMs < servicesMs) return known.variables;
    const services = this.#client.of(Service);
    const name = this.#client.vocabulary.word("orch");
    const own = await services.get({ namespace: "default", name }).catch(() => undefined);
    const others = hasLinks ? (await services.list({ namespace, limit: servicesMax })).items : [];
    const variables = serviceVariables([...(own === undefined ? [] : [own]), ...others]);
    this.#services.set(key, { atMs: this.#clock.now(), variables });
    return variables;
  }

  /** Undefined: the server gives none. */
  async #token({ metadata, spec }: Pod): Promise<string | undefined> {
    const ref = { namespace: metadata.namespace, name: spec?.serviceAccountName || "default" };
    const source = spec?.volumes?.find(isAccountVolume)?.projected?.sources?.find((one) => one.serviceAccountToken);
    const { audience, expirationSeconds } = source?.serviceAccountToken ?? {};
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: metadata.name, uid: metadata.uid };
    const body = {
      spec: { audiences: audience ? [audience] : [], boundObjectRef, ...(expirationSeconds && { expirationSeconds }) },
    };
    const answer = await this.#client
      .of(ServiceAccount)
      .subresource(ref, "token", body, "POST")
      .catch(() => undefined);
    const status = isObject(answer) ? answer["status"] : undefined;
    return isObject(status) ? textAt(status, "token") || undefined : undefined;
  }
}

function referencesOf({ spec }: Pod, withAccount: boolean) {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  const add = (names: Set<string>, name: string | undefined) => {
    if (name) names.add(name);
  };
  for (const { env, envFrom } of [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ]) {
    for (const { configMapRef, secretRef } of envFrom ?? []) {
      add(configMaps, configMapRef?.name);
      add(secrets, secretRef?.name);
    }
    for (const { valueFrom } of env ?? []) {
      add(configMaps, valueFrom?.configMapKeyRef?.name);
      add(secrets, valueFrom?.secretKeyRef?.name);
    }
  }
  for (const volume of spec?.volumes ?? []) {
    add(configMaps, volume.configMap?.name);
    add(secrets, volume.secret?.secretName);
    if (isAccountVolume(volume) && !withAccount) continue;
    for (const { configMap, secret } of volume.projected?.sources ?? []) {
      add(configMaps, configMap?.name);
      add(secrets, secret?.name);
    }
  }
  return { configMaps, secrets };
}
