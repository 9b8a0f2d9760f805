/**
 * `/clusters/*`: lists and watches of the objects of all workspaces, and `/clusters/*:TYPE` of those of one type. Nothing else is served
 * there: an object is written, and read alone, where it is.
 */

import { createHmac } from "node:crypto";
import { componentsFamily } from "../../actions/components/components.ts";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { Change } from "../../api/history/v1alpha1/change.ts";
import type { Attributes, Authorizer, Decision } from "../../authz/contract.ts";
import { createHandler } from "../../http/chain.ts";
import type { Handler } from "../../http/contract/exchange.ts";
import type { Lifecycle } from "../../http/contract/health.ts";
import { createLifecycle } from "../../http/server/lifecycle.ts";
import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import { conventionsOf } from "../../machinery/schema/conventions.ts";
import { familyIdOf } from "../../machinery/schema/identity.ts";
import { methodNotAllowed, notFound, StatusError } from "../../machinery/status/status.ts";
import { NoBatching } from "../../registry/batching.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import { plainTransformer } from "../../registry/contract/transformer.ts";
import { JoinedFamily } from "../../registry/joined/family.ts";
import { prefixOf } from "../../registry/keys.ts";
import type { ServerOptions } from "../server/options.ts";
import type { Server } from "../server.ts";
import { versionInfoOf } from "../version.ts";
import { AcrossSource } from "./across-source.ts";
import { mayReadAll, tenancyGroup } from "./entry.ts";
import { acrossBytesMax, acrossIdleMs } from "./limits.ts";
import { asOneFlow, auditOf } from "./open-workspace.ts";
import { acrossName } from "./target.ts";
import type { Workspaces } from "./workspaces.ts";

const definitionsFamily = familyIdOf(CustomResourceDefinition);
/** Kinds whose objects are in no store: each workspace makes its own when somebody asks. */
const madeFamilies: ReadonlySet<string> = new Set([componentsFamily, familyIdOf(Change)]);

/** Says in each object which workspace it is of. Clients of kcp know this name. */
const annotation = "kcp.io/cluster";

interface AcrossOptions {
  readonly root: Server;
  readonly options: ServerOptions;
  readonly workspaces: Workspaces;
  readonly rootKey: Uint8Array;
}

interface Served {
  readonly handler: Handler;
  readonly lifecycle: Lifecycle;
  readonly registry: AcrossRegistry;
}

export class Across {
  readonly #options: AcrossOptions;
  /** By type and the base that its new workspaces begin with. */
  readonly #served = new Map<string, Promise<Served>>();
  readonly #onAccess = new Set<() => void>();
  #cancelLook: (() => void) | undefined;
  #isClosed = false;

  constructor(options: AcrossOptions) {
    this.#options = options;
  }

  /** `type` undefined: all workspaces. Throws 404 for a type that does not exist. */
  async handlerFor(type: string | undefined): Promise<Handler> {
    const { workspaces } = this.#options;
    if (type !== undefined && !workspaces.hasType(type))
      throw notFound({ group: tenancyGroup, kind: "workspacetypes" }, type);
    const base = await workspaces.baseOf(type ?? "");
    const id = `${type ?? "*"} ${base}`;
    let served = this.#served.get(id);
    if (served === undefined) {
      if (this.#isClosed) throw new Error("the server is closed");
      served = this.#serve(type, base);
      this.#served.set(id, served);
      served.catch(() => this.#served.delete(id));
    }
    const { handler, registry } = await served;
    registry.usedAtMs = this.#options.options.clock.monotonic();
    this.#look();
    return handler;
  }

  /** Access may have changed: watches are checked. */
  checkAccess(): void {
    for (const check of this.#onAccess) check();
  }

  async endWatches(): Promise<void> {
    for (const served of this.#served.values()) (await served.catch(() => undefined))?.lifecycle.endWatches();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook?.();
    for (const served of this.#served.values()) {
      const open = await served.catch(() => undefined);
      open?.lifecycle.end();
      await open?.registry.close();
    }
  }

  async #serve(type: string | undefined, base: string): Promise<Served> {
    const { root, options, workspaces, rootKey } = this.#options;
    const { shared } = await workspaces.types.open(base);
    const { catalog } = shared;
    const name = acrossName(type);
    const registry = new AcrossRegistry({
      ...this.#options,
      type,
      base,
      catalog,
      continueKey: createHmac("sha256", rootKey).update(`across ${name}`).digest(),
    });
    const lifecycle = createLifecycle();
    const { requests, clock, log } = options;
    const { vocabulary, level } = catalog.environment;
    const handler = createHandler({
      registry,
      catalog,
      readsOnly: true,
      authenticator: root.access.authenticator,
      authorizer: authorizerOf(root),
      actions: new Map(),
      onAccessChange: (callback) => void this.#onAccess.add(callback),
      ...(requests.audit && {
        audit: auditOf(requests.audit.audit, name, vocabulary.word("tenancy.orch.io/workspace")),
      }),
      ...(root.fairness && { fairness: asOneFlow(root.fairness, name) }),
      interventions: requests.interventions,
      version: versionInfoOf(level),
      healthChecks: [],
      metricsPath: false,
      lifecycle,
      limits: requests.limits,
      clock,
      log,
    });
    return { handler, lifecycle, registry };
  }

  /** A timer only while something is in memory. */
  #look(): void {
    if (this.#cancelLook !== undefined || this.#isClosed) return;
    const { clock } = this.#options.options;
    this.#cancelLook = clock.after(acrossIdleMs, () => {
      this.#cancelLook = undefined;
      void this.#closeIdle();
    });
  }

  async #closeIdle(): Promise<void> {
    const { clock } = this.#options.options;
    let isOpen = false;
    for (const served of this.#served.values()) {
      const { registry } = (await served.catch(() => undefined)) ?? {};
      if (registry === undefined) continue;
      if (clock.monotonic() - registry.usedAtMs >= acrossIdleMs) registry.closeIdle();
      isOpen ||= registry.openCount > 0;
    }
    if (isOpen) this.#look();
  }
}

interface AcrossRegistryOptions extends AcrossOptions {
  readonly type: string | undefined;
  readonly base: string;
  readonly catalog: Catalog;
  readonly continueKey: Uint8Array;
}

/** Each family is read when somebody asks for it, and followed as long as somebody does. */
class AcrossRegistry implements Registry {
  readonly batching = new NoBatching();
  readonly #options: AcrossRegistryOptions;
  readonly #open = new Map<string, Promise<JoinedFamily>>();
  usedAtMs = 0;

  constructor(options: AcrossRegistryOptions) {
    this.#options = options;
  }

  get openCount(): number {
    return this.#open.size;
  }

  readonly list: Registry["list"] = async (kind, query) => (await this.#joined(kind)).list(kind, query);
  readonly watch: Registry["watch"] = async (kind, query) => (await this.#joined(kind)).watch(kind, query);
  readonly get: Registry["get"] = async (kind) => refuse(kind, "get");
  readonly read: Registry["read"] = async (kind) => refuse(kind, "get");
  readonly create: Registry["create"] = async (kind) => refuse(kind, "create");
  readonly update: Registry["update"] = async (kind) => refuse(kind, "update");
  readonly delete: Registry["delete"] = async (kind) => refuse(kind, "delete");
  readonly deleteCollection: Registry["deleteCollection"] = async (kind) => refuse(kind, "deletecollection");
  readonly begin: Registry["begin"] = () => {
    throw notServed();
  };
  getNow(): undefined {}
  peek(): undefined {}
  peekAll(): [] {
    return [];
  }
  observe(): () => void {
    return () => {};
  }
  unreadable(): number {
    return 0;
  }
  damaged(): number {
    return 0;
  }
  catchUp(): undefined {}
  revision(): Promise<bigint> {
    return this.#options.options.store.kv.revision();
  }

  closeIdle(): void {
    for (const [id, opening] of this.#open) {
      void opening.then((joined) => {
        if (joined.isWatched || this.#open.get(id) !== opening) return;
        this.#open.delete(id);
        return joined.close();
      });
    }
  }

  async close(): Promise<void> {
    for (const opening of this.#open.values()) await (await opening.catch(() => undefined))?.close();
  }

  async #joined(kind: BoundKind): Promise<JoinedFamily> {
    const { id } = kind.family;
    if (madeFamilies.has(id)) throw notServed();
    const known = this.#open.get(id);
    if (known !== undefined && !(await known).isClosed) return known;
    if (known !== undefined && this.#open.get(id) !== known) return this.#joined(kind);
    const opening = this.#openOne(kind);
    this.#open.set(id, opening);
    opening.catch(() => this.#open.delete(id));
    return opening;
  }

  #openOne({ family }: BoundKind): Promise<JoinedFamily> {
    const { options, workspaces, type, base, continueKey } = this.#options;
    const { clock, log, store } = options;
    const { hub } = family;
    const definition = `${hub.resource}.${hub.group}`;
    const key = conventionsOf(hub).isTemporary ? prefixOf({ id: definitionsFamily }) + definition : undefined;
    return JoinedFamily.open({
      family,
      annotation,
      continueKey,
      bytesMax: acrossBytesMax,
      advice: "ask for those of one type with /clusters/*:TYPE",
      clock,
      log,
      source: new AcrossSource({
        kv: store.kv,
        transformer: store.encryption?.transformer ?? plainTransformer,
        types: workspaces.types,
        kind: workspaces.kind,
        prefixOf: (uid) => workspaces.views.prefixOf(uid),
        family,
        type,
        defined: key === undefined ? undefined : { key, base },
      }),
    });
  }
}

function refuse({ group, resource }: BoundKind, verb: string): never {
  throw methodNotAllowed({ group, kind: resource }, verb);
}

/** Whatever the path names: what is not a list or a watch. */
export const notServed = (): StatusError =>
  new StatusError(
    "MethodNotAllowed",
    "objects of all workspaces can be listed and watched; read and write one at /clusters/NAME",
  );

/** Two rights at the root: to read what is in all workspaces, and to list or watch that resource in all namespaces. */
function authorizerOf({ access }: Server): Authorizer {
  const { authorizer } = access;
  const none: Decision = { outcome: "none", reason: "objects of all workspaces can only be listed and watched" };
  const decide = async (attributes: Attributes): Promise<Decision> => {
    const { user, verb, isResource, subresource } = attributes;
    if (verb === "impersonate") return authorizer.authorize(attributes);
    const reads = verb === "watch" ? "watch" : "list";
    if (!(await mayReadAll(access, user, reads))) return { outcome: "none", reason: "" };
    if (!isResource) return { outcome: "allow", reason: "" };
    if (subresource !== "" || !["get", "list", "watch"].includes(verb)) return none;
    const { group, version, resource, path, fieldSelector, labelSelector } = attributes;
    const selected = { fieldSelector, labelSelector };
    const everywhere = { group, version, resource, subresource, namespace: "", name: "", path, ...selected };
    return authorizer.authorize({ user, verb: reads, isResource, ...everywhere });
  };
  return { name: "workspaces", authorize: decide };
}
