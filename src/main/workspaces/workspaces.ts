/** The workspaces of a server: opened when a request comes, closed when they are idle. */

import { Workspace } from "../../api/tenancy/v1alpha1/workspace.ts";
import { WorkspaceType } from "../../api/tenancy/v1alpha1/workspace-type.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { QueueStats, WorkQueue } from "../../base/queue/contract.ts";
import { createQueueStats } from "../../base/queue/stats.ts";
import type { RunningControllers } from "../../controllers/run.ts";
import type { KvEntry } from "../../kv/contract.ts";
import { KvViews } from "../../kv/views/views.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";
import { tooManyRequests } from "../../machinery/status/status.ts";
import { type AccessChanges, followAccessChanges } from "../../upkeep/access-changes.ts";
import { createWork } from "../../upkeep/work.ts";
import type { AccessPlace } from "../access/inside.ts";
import type { ServerOptions } from "../server/options.ts";
import type { Server } from "../server.ts";
import { rulesName } from "./admission.ts";
import { idleWorkspacesMax, openWorkspacesMax, workspaceIdleMs, workspaceLookMs } from "./limits.ts";
import { asOneFlow, auditOf, OpenWorkspace } from "./open-workspace.ts";
import { phaseOf } from "./phase.ts";
import { workspacesPath } from "./target.ts";
import { type TypeContent, WorkspaceTypes } from "./types.ts";
import { createUsageLimits, WorkspaceUsage } from "./usage.ts";
import { Wakes } from "./wakes.ts";

/** What a server of one workspace is made of that its root's options do not say. */
export interface WorkspaceServers {
  /** Access inside: the accounts of this workspace, and its own roles. */
  accessOf(workspace: AccessPlace): ServerOptions["access"]["open"];
  /** Absent: none run. `uid`: of the workspace. */
  startControllers?: ((server: Server, uid: string, mayWrite: () => boolean) => RunningControllers) | undefined;
  /** See NetworkOptions; the root's may lead to what is only of the root. */
  readonly webhookAddresses?: ServerOptions["network"]["webhookAddresses"];
}

export interface WorkspacesOptions {
  readonly root: Server;
  readonly options: ServerOptions;
  readonly servers: WorkspaceServers;
  readonly rootKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Log;
  /** Default: that of limits.ts. */
  readonly openMax?: number | undefined;
  readonly idleMax?: number | undefined;
  readonly idleMs?: number | undefined;
}

/** What the keys of all workspaces begin with, outside those of the root's objects. */
export const workspacesPrefix = "workspaces/";

export class Workspaces {
  readonly views: KvViews;
  readonly types: WorkspaceTypes;
  readonly kind: BoundKind<Workspace>;
  /** Absent: no controllers run in workspaces, here or elsewhere. */
  readonly wakes: Wakes | undefined;
  readonly #options: WorkspacesOptions;
  /** Uids of workspaces whose time has come. */
  readonly #due: WorkQueue;
  /** Absent: another server runs the controllers of workspaces, or none. */
  #isHeld: (() => boolean) | undefined;
  readonly #noting = new Set<string>();
  /** Those that open or close now. */
  readonly #moving = createQueueStats("workspaces that open or close");
  /** In the order of their last use. */
  readonly #open = new Map<string, Promise<OpenWorkspace>>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #now = new Map<string, OpenWorkspace>();
  readonly #accessChanges: AccessChanges;
  /** By uid: checks whether those who watch are still let in. */
  readonly #onAccess = new Map<string, () => void>();
  /** Called when rights at the root may have changed. */
  readonly onAccess = new Set<() => void>();
  #cancelLook: (() => void) | undefined;
  #isClosed = false;

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    const { root, clock, log } = options;
    const { kv } = options.options.store;
    this.kind = root.catalog.of(Workspace);
    this.#accessChanges = followAccessChanges(root.registry, root.catalog, clock);
    this.#accessChanges.onChange(() => {
      for (const check of this.#onAccess.values()) check();
      for (const check of this.onAccess) check();
    });
    this.views = new KvViews({ kv, prefix: workspacesPrefix, clock, log });
    this.types = new WorkspaceTypes({
      kv,
      store: options.options.store,
      optionsOf: (store) => this.#optionsOf("", "", store, undefined),
    });
    this.#due = createWork({
      name: "workspaces that are due",
      clock,
      work: (uid) => this.#wake(uid),
      failed: (uid, error) => log.debug("a workspace that has work to do could not be opened yet", { uid, error }),
    });
    const isShared = options.options.store.isShared === true;
    if (options.servers.startControllers === undefined && !isShared) return;
    this.wakes = new Wakes({
      kv,
      clock,
      log,
      isShared,
      onDue: (uid) => this.#due.add(uid),
      onLater: (uid) => {
        // The one that acts has not seen the newest writes.
        const workedAtMs = this.#now.get(uid)?.workedAtMs ?? Number.NEGATIVE_INFINITY;
        if (!this.#leads && clock.monotonic() - workedAtMs < workspaceLookMs) this.#note(uid);
      },
    });
  }

  get #leads(): boolean {
    return this.#isHeld !== undefined;
  }

  /** `isHeld`: this server runs the controllers of workspaces, as long as that is true. Resolves when none runs any more that may not. */
  async lead(isHeld: (() => boolean) | undefined): Promise<void> {
    this.#isHeld = this.#options.servers.startControllers && isHeld;
    const leads = this.#leads;
    this.wakes?.lead(leads);
    for (const workspace of this.#now.values()) if (leads) workspace.act();
    if (!leads) await Promise.all([...this.#now.values()].map((workspace) => workspace.rest()));
  }

  async #wake(uid: string): Promise<void> {
    const { registry } = this.#options.root;
    const entry = registry.peekAll(this.kind).find((one) => one.object().metadata.uid === uid);
    if (entry === undefined) return await this.wakes?.set(uid, undefined);
    // A workspace that is suspended is due when it no longer is.
    if (this.#leads && phaseOf(entry.object()) === "Ready") (await this.use(entry.object())).work();
  }

  /** Somebody has begun to act here or, if another server runs the controllers, should now. */
  #note(uid: string): void {
    if (this.wakes === undefined || this.wakes.isDue(uid) || this.#noting.has(uid)) return;
    this.#noting.add(uid);
    this.wakes
      .set(uid, this.#options.clock.now(), this.#leads)
      .catch((error: unknown) =>
        this.#options.log.warn("that a workspace has work to do was not stored", { uid, error }),
      )
      .finally(() => this.#noting.delete(uid));
  }

  #onWork(uid: string): void {
    const nowMs = this.#options.clock.monotonic();
    const workspace = this.#now.get(uid);
    if (workspace !== undefined) {
      workspace.usedAtMs = nowMs;
      workspace.workedAtMs = nowMs;
    }
    if (!this.#leads) this.#note(uid);
  }

  /** As `find`, for those who may know: another server may have just made it. */
  async findNewest(name: string): Promise<Workspace | undefined> {
    const known = this.find(name);
    if (known !== undefined && phaseOf(known) !== "") return known;
    await this.#options.root.registry.catchUp();
    return this.find(name);
  }

  /** The newest state that is known. Undefined: there is none of this name. */
  find(name: string): Workspace | undefined {
    return this.#options.root.registry.peek(this.kind, { namespace: "", name })?.object();
  }

  /** The id of the base that a new workspace of the type begins with. Rejects if there is no such type. */
  baseOf(type: string): Promise<string> {
    return this.types.baseOf(this.#contentOf(type));
  }

  hasType(name: string): boolean {
    return this.#typeNamed(name) !== undefined;
  }

  /** The choices of bases that the types of now lead to, and that of workspaces without a type. */
  currentChoices(): ReadonlySet<string> {
    const { registry, catalog } = this.#options.root;
    const names = registry.peekAll(catalog.of(WorkspaceType)).map(({ name }) => name);
    return new Set(["", ...names].map((name) => this.types.choiceOf(this.#contentOf(name))));
  }

  #typeNamed(name: string): WorkspaceType | undefined {
    const { registry, catalog } = this.#options.root;
    return registry.peek(catalog.of(WorkspaceType), { namespace: "", name })?.object();
  }

  #contentOf(type: string): TypeContent {
    if (type === "") return { version: "" };
    const found = this.#typeNamed(type);
    if (found === undefined) throw new Error(`the workspace type ${type} does not exist`);
    const { metadata, spec } = found;
    const version = `${metadata.uid} ${metadata.generation}`;
    const from = spec?.from ?? "";
    if (from === "") return { version, objects: (spec?.objects ?? []) as object[] }; // each is JSON of an object
    return { version, entries: () => this.#entriesIn(from) };
  }

  async #entriesIn(name: string): Promise<readonly KvEntry[]> {
    const workspace = this.find(name);
    if (workspace === undefined || phaseOf(workspace) !== "Ready")
      throw new Error(`the workspace ${name} is not ready`);
    const { view } = await this.use(workspace);
    return (await view.range("")).entries;
  }

  /** What is at work in all of them, for those who wait until nothing is. */
  get queues(): readonly QueueStats[] {
    return [this.#moving, this.#due.stats, ...[...this.#now.values()].flatMap(({ queues }) => queues)];
  }

  /** How many are open. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Whether the workspace is open, or opens. */
  isOpen(uid: string): boolean {
    return this.#open.has(uid);
  }

  /** The one that is open now. */
  openNow(uid: string): OpenWorkspace | undefined {
    return this.#now.get(uid);
  }

  /** Opens the workspace if it is not, and counts as its use. */
  async use({ metadata, status }: Workspace): Promise<OpenWorkspace> {
    const { name = "", uid = "" } = metadata;
    let opening = this.#open.get(uid);
    if (opening === undefined) {
      if (this.#isClosed) throw new Error("the server is closed");
      this.#makeRoom();
      this.#moving.depth++;
      this.#moving.adds++;
      opening = this.#openOne(name, uid, status?.base ?? "").finally(() => this.#moving.depth--);
      opening.catch(() => this.#open.delete(uid));
    } else this.#open.delete(uid);
    this.#open.set(uid, opening);
    const workspace = await opening;
    workspace.usedAtMs = this.#options.clock.monotonic();
    this.#look();
    return workspace;
  }

  /** Clients come again, and are authenticated and authorized again. */
  endWatches(): void {
    for (const { server } of this.#now.values()) server.lifecycle.endWatches();
  }

  /** Ends its watches, and resolves when nothing of it is in memory. */
  async end(uid: string): Promise<void> {
    const opening = this.#open.get(uid);
    if (opening !== undefined) this.#close(uid, opening);
    await this.#closing.get(uid);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook?.();
    this.#accessChanges.close();
    for (const [uid, opening] of this.#open) this.#close(uid, opening);
    await this.#due.close();
    await Promise.all(this.#closing.values());
    await this.wakes?.close();
    await this.types.close();
    await this.views.close();
  }

  async #openOne(name: string, uid: string, base: string): Promise<OpenWorkspace> {
    await this.#closing.get(uid);
    const { rootKey, servers, options } = this.#options;
    const { types, views } = this;
    const view = await views.open(uid, (await types.open(base)).base);
    const usage = new WorkspaceUsage();
    const workspace = await OpenWorkspace.open({
      usage,
      name,
      uid,
      base,
      view,
      types,
      rootKey,
      store: options.store,
      optionsOf: (store) => this.#optionsOf(name, uid, store, usage),
      startControllers: servers.startControllers && ((server) => this.#startControllers(server, uid)),
      mayAct: () => this.#leads,
      onWork: () => this.#onWork(uid),
      onAct: () => this.#note(uid),
    }).catch(async (error: unknown) => {
      await view.close();
      throw error;
    });
    this.#now.set(uid, workspace);
    return workspace;
  }

  #startControllers(server: Server, uid: string): RunningControllers {
    const { servers } = this.#options;
    const isHeld = this.#isHeld;
    if (servers.startControllers === undefined || isHeld === undefined) throw new Error("another server runs them");
    return servers.startControllers(server, uid, isHeld);
  }

  /** Everything that would act for the root is left out: its identity towards other servers, its nodes, its routes. */
  #optionsOf(
    name: string,
    uid: string,
    store: ServerOptions["store"],
    usage: WorkspaceUsage | undefined,
  ): ServerOptions {
    const { options, servers, root } = this.#options;
    const { vocabulary } = root.catalog.environment;
    const { api, admission, requests, network } = options;
    const { more: _more, virtual: _virtual, faultPlans: _plans, runningHere: _running, ...ownApi } = api;
    const { audit, interventions, limits, livezGraceMs } = requests;
    return {
      clock: options.clock,
      log: options.log,
      random: options.random,
      api: ownApi,
      store,
      access: { open: servers.accessOf({ uid, path: workspacesPath + name }), anonymous: false },
      admission: {
        ...admission,
        own: [
          ...(admission.own ?? []).filter((plugin) => plugin.name !== rulesName),
          createUsageLimits(
            () => usage,
            () => this.find(name)?.spec?.limits,
          ),
        ],
      },
      requests: {
        limits,
        livezGraceMs,
        onAccessChange: (callback) => this.#onAccess.set(uid, callback),
        fairness: root.fairness === undefined ? false : asOneFlow(root.fairness, name),
        // What workspaces begin with is made by the server itself: the request for its type was audited.
        ...(audit &&
          name !== "" && {
            audit: { metrics: [], audit: auditOf(audit.audit, name, vocabulary.word("tenancy.orch.io/workspace")) },
          }),
        ...(interventions && { interventions }),
      },
      // What the process uses, others use too.
      metrics: { process: false, ...(options.metrics?.choice && { choice: options.metrics.choice }) },
      network: {
        // Nothing runs in a workspace: what its objects name as nodes and pods would lead into the network of the server.
        proxy: { allows: () => false },
        ...(network.services && { services: network.services }),
        ...(network.identityLease && { identityLease: network.identityLease }),
        ...(network.hostname === undefined ? {} : { hostname: network.hostname }),
        ...(servers.webhookAddresses && { webhookAddresses: servers.webhookAddresses }),
      },
    };
  }

  #makeRoom(): void {
    const { openMax = openWorkspacesMax, idleMax = idleWorkspacesMax } = this.#options;
    const isClosed = this.#open.size >= Math.min(idleMax, openMax) && this.#closeIdle();
    if (!isClosed && this.#open.size >= openMax)
      throw tooManyRequests("too many workspaces are in use at once; try again later", 1);
  }

  /** The one that has not been used for the longest time. False: all are in use. */
  #closeIdle(): boolean {
    for (const [uid, opening] of this.#open) {
      const workspace = this.#now.get(uid);
      if (workspace === undefined || workspace.active > 0 || workspace.isBusy) continue;
      this.#close(uid, opening);
      return true;
    }
    return false;
  }

  #close(uid: string, opening: Promise<OpenWorkspace>): void {
    this.#open.delete(uid);
    const closing = opening
      .then(async (workspace) => {
        this.#now.delete(uid);
        this.#onAccess.delete(uid);
        const { isActing, dueInMs } = workspace;
        const dueAtMs = dueInMs === undefined ? undefined : this.#options.clock.now() + dueInMs;
        await workspace.close();
        if (isActing) await this.wakes?.set(uid, dueAtMs);
      })
      .catch((error: unknown) => this.#options.log.warn("closing a workspace failed", { uid, error }))
      .finally(() => {
        this.#moving.depth--;
        if (this.#closing.get(uid) === closing) this.#closing.delete(uid);
      });
    this.#moving.depth++;
    this.#moving.adds++;
    this.#closing.set(uid, closing);
  }

  /** A timer only while some are open. */
  #look(): void {
    if (this.#cancelLook !== undefined || this.#isClosed) return;
    const { clock, idleMs = workspaceIdleMs } = this.#options;
    this.#cancelLook = clock.after(Math.min(idleMs, workspaceLookMs), () => {
      this.#cancelLook = undefined;
      for (const [uid, opening] of this.#open) {
        const workspace = this.#now.get(uid);
        if (workspace === undefined || workspace.active > 0 || workspace.isBusy) continue;
        if (clock.monotonic() - workspace.usedAtMs < idleMs || (workspace.dueInMs ?? idleMs) < idleMs) continue;
        this.#close(uid, opening);
      }
      if (this.#open.size > 0) this.#look();
    });
  }
}
