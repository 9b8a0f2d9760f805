/**
 * Sends the requests for the pods of a Deployment to a program on this machine, and back: the Deployment has no pods meanwhile, its
 * Services name this machine, and webhooks and aggregated groups call the port of the program. What was there before is kept in an
 * annotation of each object, so that the next run can put it back if this one is killed.
 */

import { hostname } from "node:os";
import { isRunning, type ProcessIdentity, thisProcess } from "../../base/process-identity.ts";
import type { AnyObject, Ref, ServedKind } from "../../client/contract.ts";
import { retryOnConflict } from "../../client/requests/retry-on-conflict.ts";
import type { Client } from "../../kit/contract.ts";
import {
  APIService,
  CustomResourceDefinition,
  Deployment,
  MutatingWebhookConfiguration,
  Service,
  ValidatingWebhookConfiguration,
} from "../../kit/kinds.ts";
import { type CalledService, calledServices } from "./called-services.ts";
import { localPort, type PortMap } from "./local-port.ts";

/** What each changed object was before, as JSON. */
const originalAnnotation = "host.orch.io/original";

interface Hosted {
  readonly namespace: string;
  readonly name: string;
}

/** An object of any of the kinds below, as it is sent. */
type Changed = AnyObject & { spec?: Readonly<Record<string, unknown>> };

interface Original {
  /** The Deployment for which the object was changed. */
  readonly for: string;
  /** Of a Deployment the replicas, of a Service its spec, of other objects the ports that they call, in order. */
  readonly was: unknown;
  /** Who changed it. */
  readonly by?: ProcessIdentity & { readonly machine: string };
}

const callers: readonly ServedKind<AnyObject>[] = [
  ValidatingWebhookConfiguration,
  MutatingWebhookConfiguration,
  CustomResourceDefinition,
  APIService,
];

/** Returns what requests go to the program now, for people: "service tekton/webhook". */
export async function divert(client: Client, hosted: Hosted, ports: PortMap): Promise<string[]> {
  const deployment = await client.of(Deployment).get(hosted);
  const labels = deployment.spec?.template?.metadata?.labels ?? {};
  const services: Service[] = [];
  for await (const service of client.of(Service).list({ namespace: hosted.namespace }))
    if (selects(service.spec?.selector, labels)) services.push(service);
  await change(client, Deployment, hosted, hosted, (object) => {
    const was = object.spec?.["replicas"] ?? 1;
    return { was, next: { ...object, spec: { ...object.spec, replicas: 0 } } };
  });
  for (const service of services)
    await change(client, Service, refOf(service), hosted, (object) => ({ was: object.spec, next: outside(object) }));
  const called = services.map((service) => `service ${hosted.namespace}/${service.metadata.name}`);
  for (const kind of callers)
    for await (const object of client.of(kind).list()) {
      const own = ({ namespace, name }: CalledService) =>
        services.find(({ metadata }) => metadata.name === name && namespace === hosted.namespace);
      if (!calledServices(object).some(own)) continue;
      await change(client, kind, refOf(object), hosted, (current) => {
        const next = structuredClone(current);
        const was = calledServices(next).map((called) => {
          const service = own(called);
          const port = called.port ?? 443;
          if (service !== undefined) called.port = localPort(service, deployment, port, ports);
          return service === undefined ? null : port;
        });
        return { was, next };
      });
      called.push(`${kind.kind} ${object.metadata.name}`);
    }
  return called;
}

/** The process of this machine that hosts the Deployment now: an earlier run that was not killed. `claim.ts` knows of other machines. */
export async function holderOf(client: Client, hosted: Hosted): Promise<number | undefined> {
  const { by } = originalOf((await client.of<AnyObject>(Deployment).find(hosted)) ?? { metadata: {} }) ?? {};
  return by !== undefined && by.machine === hostname() && isRunning(by) ? by.pid : undefined;
}

/** Undoes all that was done for the Deployment, also by an earlier run. */
export async function putBack(client: Client, hosted: Hosted): Promise<void> {
  for (const kind of [...callers, Service, Deployment])
    for await (const found of client
      .of<AnyObject>(kind)
      .list(kind.scope === "Namespaced" ? { namespace: hosted.namespace } : {})) {
      if (originalOf(found)?.for !== keyOf(hosted)) continue;
      await retryOnConflict(async () => {
        const object = await client.of<AnyObject>(kind).find(found);
        const original = object && originalOf(object);
        if (object === undefined || original === undefined) return;
        await client.of<AnyObject>(kind).update(withoutOriginal(restored(kind, object, original.was)));
      });
    }
}

/** Keeps what the object was. */
async function change(
  client: Client,
  kind: ServedKind<AnyObject>,
  ref: Ref,
  hosted: Hosted,
  make: (object: Changed) => { readonly was: unknown; readonly next: Changed },
): Promise<void> {
  await retryOnConflict(async () => {
    const { was, next } = make(await client.of(kind).get(ref));
    const original: Original = { for: keyOf(hosted), was, by: { ...thisProcess(), machine: hostname() } };
    const annotations = { ...next.metadata.annotations, [originalAnnotation]: JSON.stringify(original) };
    await client.of(kind).update({ ...next, metadata: { ...next.metadata, annotations } });
  });
}

const refOf = ({ metadata: { namespace = "", name = "" } }: AnyObject): Ref => ({ namespace, name });

function restored(kind: ServedKind<AnyObject>, object: Changed, was: unknown): Changed {
  if (kind === Deployment) return { ...object, spec: { ...object.spec, replicas: was } };
  if (kind === Service) return { ...object, spec: was as NonNullable<Changed["spec"]> }; // as it was sent
  const next = structuredClone(object);
  const ports = Array.isArray(was) ? was : [];
  calledServices(next).forEach((called, at) => {
    if (typeof ports[at] === "number") called.port = ports[at];
  });
  return next;
}

/** Endpoints may not have a loopback address, but an external name may be one. */
function outside(service: Changed): Changed {
  const { ports, sessionAffinity } = service.spec ?? {};
  return { ...service, spec: { type: "ExternalName", externalName: "127.0.0.1", ports, sessionAffinity } };
}

function selects(selector: Readonly<Record<string, string>> = {}, labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

function originalOf({ metadata }: AnyObject): Original | undefined {
  const text = metadata.annotations?.[originalAnnotation];
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Original); // Only this file writes it.
  } catch {
    return undefined;
  }
}

function withoutOriginal(object: AnyObject): AnyObject {
  const { [originalAnnotation]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const keyOf = ({ namespace, name }: Hosted) => `${namespace}/${name}`;
