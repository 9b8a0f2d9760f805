/** A small world for tests of admission plugins: a catalog, objects that exist, and requests about them. */

import { MutatingWebhookConfiguration } from "../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import { ValidatingAdmissionPolicy } from "../api/admissionregistration/v1/validating-admission-policy.ts";
import { ValidatingAdmissionPolicyBinding } from "../api/admissionregistration/v1/validating-admission-policy-binding.ts";
import { ValidatingWebhookConfiguration } from "../api/admissionregistration/v1/validating-webhook-configuration.ts";
import { MutatingAdmissionPolicy } from "../api/admissionregistration/v1beta1/mutating-admission-policy.ts";
import { MutatingAdmissionPolicyBinding } from "../api/admissionregistration/v1beta1/mutating-admission-policy-binding.ts";
import { Lease } from "../api/coordination/v1/lease.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { Event } from "../api/core/v1/event.ts";
import { LimitRange } from "../api/core/v1/limit-range.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { Node } from "../api/core/v1/node.ts";
import { PersistentVolume } from "../api/core/v1/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/persistent-volume-claim.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { ResourceQuota } from "../api/core/v1/resource-quota.ts";
import { Service } from "../api/core/v1/service.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { Ingress } from "../api/networking/v1/ingress.ts";
import { IngressClass } from "../api/networking/v1/ingress-class.ts";
import { RuntimeClass } from "../api/node/v1/runtime-class.ts";
import { PodSecurityPolicy } from "../api/policy/v1beta1/pod-security-policy.ts";
import { ResourceClaim } from "../api/resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "../api/resource/v1/resource-claim-template.ts";
import { ResourceSlice } from "../api/resource/v1/resource-slice.ts";
import { PriorityClass } from "../api/scheduling/v1/priority-class.ts";
import { CSIDriver } from "../api/storage/v1/csi-driver.ts";
import { CSINode } from "../api/storage/v1/csi-node.ts";
import { StorageClass } from "../api/storage/v1/storage-class.ts";
import { type Authorizer, noOpinion } from "../authz/contract.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { inNextTurn } from "../base/turns.ts";
import { createWebhookCaller } from "../base/webhook-caller.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import { deepFreeze } from "../machinery/json/json-value.ts";
import type { User } from "../machinery/meta/user.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { type Level, levelDefault } from "../machinery/schema/levels.ts";
import { labelMap } from "../machinery/selectors/label-selector.ts";
import { notFound } from "../machinery/status/status.ts";
import { admissionRequest } from "../registry/admission-request.ts";
import type { AdmissionRequest, Operation } from "../registry/contract/admission.ts";
import type { Entry, ObjectRef } from "../registry/contract/entry.ts";
import type { Registry, UpdateFunction } from "../registry/contract/registry.ts";
import type { WriteContext } from "../registry/contract/write-context.ts";
import { kubernetes } from "../vocabulary/kubernetes.ts";
import { orch } from "../vocabulary/orch.ts";
import { createAdmission } from "./chain.ts";
import { operatorFile } from "./configuration/operator-file.ts";
import type { AdmissionContext } from "./context.ts";
import type { AdmissionPlugin } from "./contract.ts";
import { createWebhookMetrics } from "./webhooks/webhook-metrics.ts";

/** An object that exists. `hidden`: it is in the store, but not yet in the cache of this process. */
export interface Existing {
  readonly resource: string;
  readonly object: ApiObject;
  readonly hidden?: boolean;
}

export interface RequestOptions {
  readonly operation?: Operation;
  readonly object?: ApiObject;
  readonly old?: ApiObject;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly user?: User;
  readonly dryRun?: boolean;
}

export interface WorldOptions {
  /** What the operator configured, by plugin. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** Files that configurations name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly authorizer?: Authorizer["authorize"];
  readonly clock?: Clock;
  readonly level?: Level;
}

export function createWorld(
  existing: readonly Existing[],
  vocabularyName: "orch" | "kubernetes" = "orch",
  {
    configuration = {},
    files = {},
    authorizer = () => noOpinion,
    clock = systemClock,
    level = levelDefault,
  }: WorldOptions = {},
) {
  const vocabulary = vocabularyName === "orch" ? orch : kubernetes;
  // One catalog holds kinds of any type; the static type of each is known only where it is declared.
  const kinds = [
    ConfigMap,
    Event,
    Namespace,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    ServiceAccount,
    PriorityClass,
    Lease,
    CSIDriver,
    CSINode,
    RuntimeClass,
    StorageClass,
    Ingress,
    IngressClass,
    LimitRange,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
    ResourceQuota,
    Service,
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
    PodSecurityPolicy,
  ];
  const catalog = createCatalog(
    kinds,
    plainEnvironment({ vocabulary, level, gates: { enabled: () => true }, allowPrivileged: true }),
  );
  const warnings: string[] = [];
  const annotations = new Map<string, string>();
  const context: AdmissionContext = {
    catalog,
    registry: registryOf(existing),
    authorizer: { name: "test", authorize: authorizer },
    clock,
    waitClock: clock,
    makesAccounts: false,
    log: silentLog,
    configuration(plugin) {
      if (!Object.hasOwn(configuration, plugin)) return undefined;
      const file = operatorFile("/etc/admission.yaml", "", (path) => files[path] ?? "");
      return { where: "/etc/admission.yaml", value: configuration[plugin], file };
    },
    webhooks: {
      caller: createWebhookCaller({ findService: () => ({ host: "127.0.0.1", port: 1 }), allows: () => false }),
      metrics: createWebhookMetrics(),
    },
    notReadyTolerationSeconds: 300,
    unreachableTolerationSeconds: 200,
  };
  const kindOf = (resource: string) => {
    const family = catalog.families().find((candidate) => candidate.hub.resource === resource);
    if (family === undefined) throw new Error(`no resource ${resource}`);
    return family.hub;
  };
  const request = (resource: string, options: RequestOptions): AdmissionRequest => {
    const ref = { namespace: options.namespace ?? "", name: options.name ?? options.object?.metadata.name ?? "" };
    const write: WriteContext = {
      user: options.user ?? { name: "tester", uid: "", groups: [], extra: new Map() },
      dryRun: options.dryRun ?? false,
      fieldManager: "",
      warn: (text) => warnings.push(text),
      annotate: (key, value) => annotations.set(key, value),
    };
    return admissionRequest(kindOf(resource), ref, write, {
      operation: options.operation ?? "CREATE",
      subresource: options.subresource ?? "",
      object: options.object,
      old: options.old,
    });
  };
  return {
    context,
    request,
    /** The audit annotations of all requests. */
    warnings,
    annotations,
    /** Runs both phases and returns the object. */
    async admit(plugin: AdmissionPlugin, resource: string, options: RequestOptions) {
      const chain = createAdmission([plugin]);
      const made = request(resource, options);
      await chain.mutate(made);
      await chain.validate(made);
      return made.object;
    },
  };
}

/** Makes every entry take a millisecond to read; the result has how many were read in each turn of the event loop. */
export function readSlowly({ registry }: Pick<AdmissionContext, "registry">): readonly number[] {
  const turns: number[] = [];
  let isNewTurn = true;
  const read = () => {
    for (const end = performance.now() + 1; performance.now() < end; );
    if (isNewTurn) {
      turns.push(0);
      isNewTurn = false;
      inNextTurn(() => {
        isNewTurn = true;
      });
    }
    turns[turns.length - 1]! += 1;
  };
  const peekAll = registry.peekAll.bind(registry);
  registry.peekAll = <T extends ApiObject>(kind: BoundKind<T>, namespace?: string) =>
    peekAll(kind, namespace).map((entry) => ({
      ...entry,
      object() {
        read();
        return entry.object();
      },
      *load() {
        read();
        return yield* entry.load();
      },
    }));
  return turns;
}

function registryOf(given: readonly Existing[]): Registry {
  const existing: { resource: string; object: ApiObject; hidden?: boolean }[] = given.map((one) => ({ ...one }));
  const find = ({ resource }: BoundKind, ref: ObjectRef) =>
    existing.find(
      (one) =>
        one.resource === resource &&
        one.object.metadata.name === ref.name &&
        (one.object.metadata.namespace ?? "") === ref.namespace,
    );
  const mustFind = (kind: BoundKind, ref: ObjectRef) => {
    const found = find(kind, ref);
    if (found === undefined) throw notFound({ group: kind.group, kind: kind.resource }, ref.name);
    return found;
  };
  // Only the members of an entry that plugins read; objects have the requested kind.
  const entryOf = <T extends ApiObject>(found: Pick<Existing, "object">) =>
    ({
      namespace: found.object.metadata.namespace ?? "",
      name: found.object.metadata.name,
      labels: labelMap(found.object.metadata.labels),
      revision: BigInt(found.object.metadata.resourceVersion ?? 0),
      object: () => found.object as T,
      *load() {
        yield;
        return found.object as T;
      },
    }) as Entry<T>;
  let revision = 1;
  const observers: { readonly resource: string; readonly changed: (found: Pick<Existing, "object">) => void }[] = [];
  const tell = ({ resource }: BoundKind, found: Pick<Existing, "object">) => {
    for (const observer of observers) if (observer.resource === resource) observer.changed(found);
  };
  const registry: Pick<Registry, "peek" | "peekAll" | "catchUp" | "observe" | "get" | "read" | "create" | "update"> = {
    observe({ resource }, observer) {
      observers.push({ resource, changed: (found) => observer({ entry: entryOf(found), deleted: false }) });
      return () => undefined;
    },
    peek(kind, ref) {
      const found = find(kind, ref);
      return found === undefined || found.hidden ? undefined : entryOf(found);
    },
    catchUp: () => undefined,
    peekAll: (kind, namespace) =>
      existing
        .filter(({ resource }) => resource === kind.resource)
        .filter(({ object }) => namespace === undefined || object.metadata.namespace === namespace)
        .map((found) => entryOf(found)),
    get: async (kind, ref) => entryOf(mustFind(kind, ref)),
    read: async <T extends ApiObject>(kind: BoundKind<T>, ref: ObjectRef) => mustFind(kind, ref).object as T,
    async create(kind, object) {
      existing.push({ resource: kind.resource, object });
      tell(kind, { object });
      return { entry: entryOf({ object }), created: true };
    },
    async update(kind, ref, change) {
      const found = mustFind(kind, ref);
      const next = await (change as UpdateFunction)(deepFreeze(found.object));
      found.object = { ...next, metadata: { ...next.metadata, resourceVersion: String(++revision) } };
      tell(kind, found);
      return { entry: entryOf(found), created: false };
    },
  };
  return registry as Registry; // plugins use nothing else
}
