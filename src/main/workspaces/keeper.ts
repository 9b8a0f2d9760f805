/** Makes what Workspace objects say: prepares new ones, and removes what deleted ones have stored. */

import { ClusterRoleBinding } from "../../api/rbac/v1/cluster-role-binding.ts";
import type { Workspace } from "../../api/tenancy/v1alpha1/workspace.ts";
import { WorkspaceType } from "../../api/tenancy/v1alpha1/workspace-type.ts";
import { KvError } from "../../kv/contract.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { serverWrites } from "../../registry/contract/server-writes.ts";
import { createWork } from "../../upkeep/work.ts";
import type { ServerOptions } from "../server/options.ts";
import type { Server } from "../server.ts";
import { contentFinalizer, ownerOf } from "./admission.ts";
import { deleteUnder } from "./bases.ts";
import { insideName } from "./entry.ts";
import { unusedBaseMs, workspaceDeletionSlice } from "./limits.ts";
import { phaseOf } from "./phase.ts";
import { workspacesPath } from "./target.ts";
import { UnusedBases } from "./unused-bases.ts";
import type { Workspaces } from "./workspaces.ts";

interface KeeperOptions {
  readonly root: Server;
  readonly options: ServerOptions;
  readonly workspaces: Workspaces;
}

/** The key of the queue that is not a name: what nothing begins with any more. */
const unusedKey = "";
/** Many may be deleted at once. */
const gatherMs = 5_000;
/** What keys of the queue begin with that are uids of workspaces which are gone. */
const gonePrefix = "gone ";
/** Until when another server on the store has ended the requests of a workspace that is gone, whatever they have written. */
const goneMs = 90_000;

interface Keeper {
  close(): Promise<void>;
}

export function keepWorkspaces({ root, options, workspaces }: KeeperOptions): Keeper {
  const { registry, catalog } = root;
  const { clock, log } = options;
  const { kind } = workspaces;
  const { vocabulary } = catalog.environment;
  const context = serverWrites("workspaces", vocabulary);

  const writeStatus = (name: string, status: NonNullable<Workspace["status"]>) =>
    registry.update(
      kind,
      { namespace: "", name },
      (current) => {
        const { message, ...next } = { ...(current as Workspace).status, ...status }; // nothing is created here
        return { ...(current as Workspace), status: message ? { ...next, message } : next };
      },
      context,
      { subresource: "status", retry: true },
    );

  const prepare = async (workspace: Workspace): Promise<void> => {
    const name = workspace.metadata.name ?? "";
    const base = await workspaces.baseOf(workspace.spec?.type ?? "").catch(async (error: unknown) => {
      // Those who made the type or the workspace do not read the log of the server.
      const message = error instanceof Error && !(error instanceof KvError) ? error.message : "";
      if (message !== (workspace.status?.message ?? "")) await writeStatus(name, { message });
      throw new Error("what it begins with cannot be made", { cause: error });
    });
    const prepared = { ...workspace, status: { ...workspace.status, base } };
    const owner = ownerOf(workspace);
    if (owner !== undefined) await bindOwner((await workspaces.use(prepared)).server, insideName(owner));
    const url = `${workspacesPath}${name}`;
    const phase = workspace.spec?.suspended === true ? "Suspended" : "Ready";
    await writeStatus(name, { base, url, phase, message: "" });
  };

  const removeContent = async (uid: string): Promise<void> => {
    await deleteUnder(options.store.kv, workspaces.views.prefixOf(uid), workspaceDeletionSlice);
    await workspaces.wakes?.set(uid, undefined);
  };

  const remove = async ({ metadata }: Workspace): Promise<void> => {
    const { name = "", uid = "", finalizers = [] } = metadata;
    await workspaces.end(uid);
    if (!finalizers.includes(contentFinalizer)) return;
    await removeContent(uid);
    await registry.update(
      kind,
      { namespace: "", name },
      (current) => {
        const { metadata: now, ...rest } = current as Workspace; // nothing is created here
        return {
          ...rest,
          metadata: { ...now, finalizers: (now.finalizers ?? []).filter((one) => one !== contentFinalizer) },
        };
      },
      context,
      { retry: true, uid },
    );
  };

  const unused = new UnusedBases({
    kv: options.store.kv,
    clock,
    unusedMs: unusedBaseMs,
    current: () => workspaces.currentChoices(),
    used: () => new Set(registry.peekAll(kind).map((entry) => entry.object().status?.base ?? "")),
    forget: (id) => workspaces.types.forget(id),
  });
  const removeUnused = async (): Promise<void> => {
    const lookMs = await unused.remove();
    if (lookMs !== undefined) queue.addAfter(unusedKey, lookMs);
  };

  /** Those that are tried again later. */
  const failing = new Set<string>();
  const queue = createWork({
    name: "workspaces",
    clock,
    async work(name) {
      if (name === unusedKey) return await removeUnused();
      if (name.startsWith(gonePrefix)) return await removeContent(name.slice(gonePrefix.length));
      const workspace = workspaces.find(name);
      failing.delete(name);
      if (workspace === undefined) return;
      const phase = phaseOf(workspace);
      try {
        if (phase === "Deleting") {
          if (workspace.status?.phase !== phase) await writeStatus(name, { phase });
          await remove(workspace);
          return;
        }
        if (phase === "") return await prepare(workspace);
        // Also where another server has written the phase before this one saw why.
        if (phase === "Suspended") await workspaces.end(workspace.metadata.uid ?? "");
        if (workspace.status?.phase === phase) return;
        await writeStatus(name, { phase });
        if (phase === "Ready") workspaces.wakes?.again(workspace.metadata.uid ?? "");
      } catch (error) {
        if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
      }
    },
    failed(name, error) {
      log.warn("a workspace could not be brought into its state", { name, error });
      failing.add(name);
    },
  });
  const isRight = (workspace: Workspace) => {
    const phase = phaseOf(workspace);
    const isOpen = workspaces.isOpen(workspace.metadata.uid ?? "");
    return phase === workspace.status?.phase && (phase === "Ready" || (phase === "Suspended" && !isOpen));
  };
  const stops = [
    registry.observe(kind, ({ entry, deleted }) => {
      if (deleted) {
        queue.addAfter(unusedKey, gatherMs);
        const { uid = "" } = entry.object().metadata;
        // Another server may have removed it before this one saw that it would.
        void workspaces.end(uid);
        if (options.store.isShared) queue.addAfter(gonePrefix + uid, goneMs);
      } else if (!isRight(entry.object())) queue.add(entry.name);
    }),
    registry.observe(catalog.of(WorkspaceType), () => {
      queue.addAfter(unusedKey, gatherMs);
      for (const name of failing) queue.add(name); // it may be made now
    }),
  ];
  for (const entry of registry.peekAll(kind)) if (!isRight(entry.object())) queue.add(entry.name);
  queue.addAfter(unusedKey, unusedBaseMs);
  return {
    async close() {
      for (const stop of stops) stop();
      await queue.close();
    },
  };
}

/** Who made a workspace may do everything inside. */
async function bindOwner({ registry, catalog }: Server, owner: string): Promise<void> {
  const { vocabulary } = catalog.environment;
  const group = vocabulary.group("rbac.authorization.orch.io");
  const name = "workspace-owner";
  const binding = {
    metadata: { name },
    subjects: [{ kind: "User", apiGroup: group, name: owner }],
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "cluster-admin" },
  };
  try {
    const kind = catalog.of(ClusterRoleBinding);
    await registry.create(kind, binding, { namespace: "", name }, serverWrites("workspaces", vocabulary));
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
  }
}
