/** A server with workspaces: requests below /clusters/ go to them, all others to the server itself. */

import { randomBytes, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { Workspace } from "../../api/tenancy/v1alpha1/workspace.ts";
import { WorkspaceType } from "../../api/tenancy/v1alpha1/workspace-type.ts";
import { Counter } from "../../base/metrics.ts";
import type { Exchange, Handler, MayUpgrade } from "../../http/contract/exchange.ts";
import type { User } from "../../machinery/meta/user.ts";
import {
  noSuchPath,
  notFound,
  StatusError,
  serviceUnavailable,
  tooManyRequests,
} from "../../machinery/status/status.ts";
import { refusedByWorkspace } from "../../metrics/workspaces.ts";
import { continueKeyName } from "../../registry/keys.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { type Election, takeLead } from "../lead.ts";
import type { ServerOptions } from "../server/options.ts";
import { openServer, type Server } from "../server.ts";
import { Across, notServed } from "./across.ts";
import { createWorkspaceRules } from "./admission.ts";
import { entering, enteringAll, insideUser, mayCopyContent, tenancyGroup } from "./entry.ts";
import { keepWorkspaces } from "./keeper.ts";
import { workspaceRequestsMax } from "./limits.ts";
import { phaseOf } from "./phase.ts";
import { RoutedExchange } from "./routed-exchange.ts";
import { acrossName, parseAcrossTarget, parseTarget, rootName, workspacesPath } from "./target.ts";
import { createClaimedWorkspace } from "./tokens.ts";
import { type WorkspaceServers, Workspaces, type WorkspacesOptions } from "./workspaces.ts";

interface ServerWithWorkspaces extends Server {
  readonly workspaces: Workspaces;
}

/** As openServer, and serves workspaces. */
export async function openServerWithWorkspaces(
  given: ServerOptions,
  servers: WorkspaceServers,
  more: Pick<WorkspacesOptions, "openMax" | "idleMax" | "idleMs"> = {},
): Promise<ServerWithWorkspaces> {
  let root: Server | undefined;
  const refused = new Counter(refusedByWorkspace);
  const hasType = (name: string) =>
    root?.registry.peek(root.catalog.of(WorkspaceType), { namespace: "", name }) !== undefined;
  const mayCopy = async (user: User, name: string) => root !== undefined && mayCopyContent(root.access, user, name);
  const options: ServerOptions = {
    ...given,
    api: { ...given.api, more: [...(given.api.more ?? []), Workspace, WorkspaceType] },
    metrics: { ...given.metrics, more: [...(given.metrics?.more ?? []), refused] },
    admission: {
      ...given.admission,
      own: [...(given.admission.own ?? []), createWorkspaceRules(() => ({ hasType, mayCopy }))],
    },
  };
  root = await openServer(options);
  const server = root;
  const rootKey = (await options.store.kv.get(continueKeyName))?.value ?? randomBytes(32);
  const { clock, log } = options;
  const workspaces = new Workspaces({ root, options, servers, rootKey, clock, log, ...more });
  const keeper = keepWorkspaces({ root, options, workspaces });
  const across = new Across({ root, options, workspaces, rootKey });
  workspaces.onAccess.add(() => across.checkAccess());
  const lead =
    options.store.isShared && servers.startControllers
      ? takeLead({
          server,
          election: electionOf(server.catalog.environment.vocabulary),
          userAgent: "workspaces",
          clock,
          log,
          onChange: (leadership) => workspaces.lead(leadership && (() => leadership.isHeld())),
        })
      : undefined;
  if (lead === undefined) await workspaces.lead(() => true);
  const handle = createWorkspaceHandler({ root: server, options, workspaces, across, refused });
  const stopForgetting = server.registry.observe(workspaces.kind, ({ entry, deleted }) => {
    if (deleted) refused.remove({ workspace: entry.name });
  });
  server.lifecycle.onEndWatches(() => {
    workspaces.endWatches();
    void across.endWatches();
  });
  return {
    ...server,
    workspaces,
    handler: (exchange) => (exchange.target.startsWith(workspacesPath) ? handle(exchange) : server.handler(exchange)),
    mayUpgrade: createMayUpgradeInside(server, workspaces),
    async close() {
      stopForgetting();
      await keeper.close();
      await lead?.close();
      await across.close();
      await workspaces.close();
      await server.close();
    },
  };
}

/** In the times of controller managers. */
const electionOf = (vocabulary: Vocabulary): Election => ({
  identity: `${hostname()}_${randomUUID()}`,
  lease: { namespace: vocabulary.word("orch-system"), name: "workspaces" },
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
});

interface HandlerParts {
  readonly root: Server;
  readonly options: ServerOptions;
  readonly workspaces: Workspaces;
  readonly across: Across;
  readonly refused: Counter;
}

/** Who is refused gets the root's answer for a path that it does not let them see: the same whether or not there is such a workspace. */
function createWorkspaceHandler({ root, options, workspaces, across, refused }: HandlerParts): Handler {
  const claimed = createClaimedWorkspace(root.catalog.environment.vocabulary);
  const entry = { access: root.access, anonymous: options.access.anonymous };
  const annotation = root.catalog.environment.vocabulary.word("tenancy.orch.io/workspace");
  /** The root counts, logs and audits it: the workspace itself may not be there. */
  const refuse = (exchange: Exchange, user: User, cause: unknown, name: string) => {
    const error = statusOf(cause, options);
    refused.add(refused.labelKey(workspaces.find(name) === undefined ? "" : name, String(error.code)));
    const refusal = { error, annotations: { [annotation]: name } };
    return root.handler(new RoutedExchange(exchange, exchange.target, user, { refusal }));
  };
  const answerAcross = async (exchange: Exchange): Promise<void> => {
    const found = parseAcrossTarget(exchange.target);
    const userNow = () => enteringAll(entry, exchange);
    const user = found && (await userNow());
    if (found === undefined || user === undefined) return root.handler(exchange);
    const { type, target } = found;
    try {
      if (exchange.method !== "GET" && exchange.method !== "HEAD") throw notServed();
      if (target.startsWith("/openapi")) throw noSuchPath();
      const handler = await across.handlerFor(type);
      return await handler(new RoutedExchange(exchange, target, user, { userNow }));
    } catch (error) {
      return refuse(exchange, user, error, acrossName(type));
    }
  };
  return async (exchange) => {
    const found = parseTarget(exchange.target);
    if (found === undefined) return answerAcross(exchange);
    const { name, target } = found;
    if (name === rootName) return root.handler(new RoutedExchange(exchange, target, exchange.presetUser));
    const uid = exchange.presetUser === undefined ? claimed(exchange) : undefined;
    const userNow = async () => {
      if (uid !== undefined) return accountIn(workspaces, exchange, name, uid);
      const entered = await entering(entry, exchange, name);
      return entered && insideUser(entered);
    };
    const user = await userNow();
    if (user === undefined) return root.handler(exchange);
    try {
      const workspace = await workspaces.findNewest(name);
      if (workspace === undefined) throw notFound(subject, name);
      const phase = phaseOf(workspace);
      if (phase === "Suspended") throw serviceUnavailable(`the workspace "${name}" is suspended`);
      if (phase === "Deleting") throw new StatusError("Forbidden", `the workspace "${name}" is being deleted`);
      if (phase === "") throw beingMade(name, workspace.status?.message);
      const open = await workspaces.use(workspace);
      const limit = workspace.spec?.limits?.requestsInFlight ?? workspaceRequestsMax;
      if (open.server.lifecycle.inProgress >= limit)
        throw tooManyRequests(`the workspace "${name}" has ${limit} requests in progress`, 1);
      open.active++;
      exchange.onFinish(() => {
        open.active--;
      });
      if (exchange.method !== "GET" || /[?&]watch=/.test(target)) open.work();
      return await open.server.handler(new RoutedExchange(exchange, target, user, { userNow }));
    } catch (error) {
      return refuse(exchange, user, error, name);
    }
  };
}

const beingMade = (name: string, message = ""): StatusError =>
  message === ""
    ? tooManyRequests(`the workspace "${name}" is being made`, 1)
    : serviceUnavailable(`the workspace "${name}" cannot be made: ${message}`);

const subject = { group: tenancyGroup, kind: "workspaces" };

/** The account whose token says that it is of this workspace. Undefined: it is not. Nothing is opened for who does not know its uid. */
async function accountIn(
  workspaces: Workspaces,
  exchange: Exchange,
  name: string,
  uid: string,
): Promise<User | undefined> {
  const workspace = workspaces.find(name);
  if (workspace?.metadata.uid !== uid || phaseOf(workspace) !== "Ready") return undefined;
  try {
    const { server } = await workspaces.use(workspace);
    const outcome = await server.access.authenticator.authenticate(exchange);
    return outcome === undefined || outcome === "rejected" ? undefined : outcome.user;
  } catch {
    return undefined; // the root's own answer is that of a wrong token
  }
}

function statusOf(error: unknown, { log }: ServerOptions): StatusError {
  if (error instanceof StatusError) return error;
  log.error("a request to a workspace failed", { error });
  return new StatusError("InternalError", "the workspace could not be opened");
}

/** The kinds of a workspace that sleeps are taken to be those of the root. */
function createMayUpgradeInside(root: Server, workspaces: Workspaces): MayUpgrade {
  return (method, given) => {
    if (!given.startsWith(workspacesPath)) return root.mayUpgrade(method, given);
    const found = parseTarget(given);
    if (found === undefined) return false;
    const uid = workspaces.find(found.name)?.metadata.uid ?? "";
    return (workspaces.openNow(uid)?.server ?? root).mayUpgrade(method, found.target);
  };
}
