/**
 * The objects that a new server creates before it is ready: its namespaces, the system's priority classes, the roles of RBAC,
 * the flow schemas and priority levels of requests, and the API services.
 */

import { automanagedLabel, localServices } from "../api/apiregistration/local-services.ts";
import { APIService } from "../api/apiregistration/v1/api-service.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import type { BuiltIn } from "../api/flowcontrol/v1beta1/built-in.ts";
import {
  builtInLevels,
  builtInSchemas,
  followedAnnotation,
  followedSince,
  mandatoryLevels,
  mandatorySchemas,
} from "../api/flowcontrol/v1beta1/built-in.ts";
import { FlowSchema } from "../api/flowcontrol/v1beta1/flow-schema.ts";
import { PriorityLevelConfiguration } from "../api/flowcontrol/v1beta1/priority-level-configuration.ts";
import { PriorityClass } from "../api/scheduling/v1/priority-class.ts";
import type { DeclaredRole } from "../authz/bootstrap/declare.ts";
import { copyJson } from "../machinery/json/json-value.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import type { Environment } from "../machinery/schema/environment.ts";
import type { ApiObject, Kind } from "../machinery/schema/kind.ts";
import { StatusError } from "../machinery/status/status.ts";
import { type ServerPurpose, serverWrites } from "../registry/contract/server-writes.ts";
import type { WriteContext } from "../registry/contract/write-context.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { type BootstrapRegistry, reconcileBootstrapObjects } from "./bootstrap-roles.ts";
import { publishedName } from "./published-configuration.ts";
import { unlessUnreadable } from "./unless-unreadable.ts";

/** With neutral names. */
const namespaces = ["default", "orch-system", "orch-public", "orch-node-lease"];

const priorityClasses = [
  {
    name: "system-node-critical",
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    name: "system-cluster-critical",
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
];

export interface DefaultRoles {
  /** Whether `edit` omits rights that reach beyond a namespace. */
  readonly narrowEdit: boolean;
  /** Default: those of the product. */
  readonly declared?: readonly DeclaredRole[];
}

/** Health checks that wait for objects. */
type BootstrapHook =
  | "bootstrap-controller"
  | "start-cluster-authentication-info-controller"
  | "rbac/bootstrap-roles"
  | "scheduling/bootstrap-system-priority-classes"
  | "priority-and-fairness-config-producer"
  | "orch-apiserver-autoregistration";

interface BootstrapOptions {
  readonly registry: BootstrapRegistry;
  readonly catalog: Catalog;
  /** Called when a part of the start is done, with the name of its health check. */
  readonly health: { finish(hook: BootstrapHook): void };
  /** Undefined: the roles of RBAC are not created. */
  readonly roles: DefaultRoles | undefined;
  /** Data of the ConfigMap with which other servers trust the same clients; empty: it is not created. */
  readonly published: Readonly<Record<string, string>>;
}

export type MakeParts = Pick<BootstrapOptions, "registry" | "catalog">;
type Make = <T extends ApiObject>(kind: Kind<T>, object: NoInfer<T>, purpose?: ServerPurpose) => Promise<void>;

/** Creates a missing object and leaves an existing one unchanged. The given object is changed on the way. */
export function createMake({ registry, catalog }: MakeParts): Make {
  const contexts = new Map<ServerPurpose, WriteContext>();
  return async (declared, object, purpose = "bootstrap objects") => {
    const hub = catalog.of(declared);
    // The level may no longer have the version in which the kind is declared.
    const kind: BoundKind = catalog.isServed(hub) ? hub : hub.family.stored;
    const ref = { namespace: "", name: object.metadata.name ?? "" };
    if (!catalog.isServed(kind) || registry.peek(kind, ref) !== undefined) return;
    const by = contexts.get(purpose) ?? serverWrites(purpose, catalog.environment.vocabulary);
    contexts.set(purpose, by);
    const created = registry
      .create(kind, kind === hub ? object : kind.fromHub(object), ref, by)
      .catch((error: unknown) => {
        // Another server of the same store was faster; it creates the same object.
        if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
      });
    await unlessUnreadable(created);
  };
}

export async function makeNamespaces(make: Make, { word }: Vocabulary): Promise<void> {
  await Promise.all(namespaces.map((name) => make(Namespace, { metadata: { name: word(name) } })));
}

/**
 * The flow control objects that are missing. Flow schemas come after the priority levels that they name, so that none is ever seen dangling.
 * `onlyMandatory`: what an administrator deletes of the others stays deleted.
 */
export async function makeFlowControl(make: Make, environment: Environment, onlyMandatory: boolean): Promise<void> {
  const { vocabulary, since } = environment;
  const annotations = since(followedSince) ? { annotations: { [vocabulary.word(followedAnnotation)]: "true" } } : {};
  const makeAll = (kind: Kind, objects: readonly BuiltIn[], mandatory: ReadonlyMap<string, object>) =>
    Promise.all(
      objects
        .filter(({ name }) => !onlyMandatory || mandatory.has(name))
        .map(({ name, spec }) =>
          make(kind, { metadata: { name, ...annotations }, spec: copyJson(spec) }, "flow control objects"),
        ),
    );
  await makeAll(PriorityLevelConfiguration, builtInLevels(environment), mandatoryLevels);
  await makeAll(FlowSchema, builtInSchemas(environment), mandatorySchemas);
}

/** Creates what is missing and leaves what exists unchanged, so that every start can call it. */
export async function makeBootstrapObjects(options: BootstrapOptions): Promise<void> {
  const { registry, catalog, health, roles, published } = options;
  const { vocabulary } = catalog.environment;
  const make = createMake(options);
  const makeAccess = async () => {
    await makeNamespaces(make, vocabulary);
    health.finish("bootstrap-controller");
    await publish(options, published);
    health.finish("start-cluster-authentication-info-controller");
    if (roles) await reconcileBootstrapObjects({ registry, catalog, ...roles });
    health.finish("rbac/bootstrap-roles");
  };
  const makeClasses = async () => {
    await Promise.all(
      priorityClasses.map(({ name, value, description }) =>
        make(PriorityClass, {
          metadata: { name },
          value,
          description,
          preemptionPolicy: "PreemptLowerPriority",
        }),
      ),
    );
    health.finish("scheduling/bootstrap-system-priority-classes");
  };
  const makePriorities = async () => {
    // Suggested objects are created once, with the mandatory ones, until their annotation says who decides about them.
    const isMissing = (kind: Kind) => registry.peek(catalog.of(kind), { namespace: "", name: "exempt" }) === undefined;
    const isNew = isMissing(PriorityLevelConfiguration) || isMissing(FlowSchema);
    await makeFlowControl(make, catalog.environment, !isNew && !catalog.environment.since(followedSince));
    health.finish("priority-and-fairness-config-producer");
  };
  const makeApiServices = async () => {
    const served = localServices.filter(
      ({ group, version }) => catalog.ofGroupVersion(vocabulary.group(group), version).length > 0,
    );
    await Promise.all(
      served.map(({ group: neutral, version, ...priorities }) => {
        const group = vocabulary.group(neutral);
        return make(APIService, {
          metadata: { name: `${version}.${group}`, labels: { [vocabulary.word(automanagedLabel)]: "onstart" } },
          spec: { ...(group === "" ? {} : { group }), version, ...priorities },
        });
      }),
    );
    health.finish("orch-apiserver-autoregistration");
  };
  await Promise.all([makeAccess(), makeClasses(), makePriorities(), makeApiServices()]);
}

/** Unlike the others, this object follows the flags: it shows the current authorities and replaces earlier ones. */
async function publish({ registry, catalog }: BootstrapOptions, data: Readonly<Record<string, string>>): Promise<void> {
  if (Object.keys(data).length === 0) return;
  const ref = { namespace: catalog.environment.vocabulary.word("orch-system"), name: publishedName };
  const change = (current: ConfigMap | undefined): ConfigMap =>
    current === undefined ? { metadata: { ...ref }, data: { ...data } } : { ...current, data: { ...data } };
  const context = serverWrites("bootstrap objects", catalog.environment.vocabulary);
  await unlessUnreadable(
    registry.update(catalog.of(ConfigMap), ref, change, context, { createIfMissing: true, retry: true }),
  );
}
