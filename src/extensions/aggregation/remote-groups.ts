/** The groups of aggregated servers, from API services: lists them in discovery and forwards requests for them. */

import { automanagedLabel, localServices } from "../../api/apiregistration/local-services.ts";
import { APIService, availableCondition } from "../../api/apiregistration/v1/api-service.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Exchange } from "../../http/contract/exchange.ts";
import type { Delegate, RequestFacts } from "../../http/contract/routes.ts";
import type { Catalog, GroupListing } from "../../machinery/schema/catalog.ts";
import { compareVersions } from "../../machinery/schema/version-order.ts";
import { StatusError } from "../../machinery/status/status.ts";
import type { Entry } from "../../registry/contract/entry.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import type { ApiServers } from "./api-server.ts";
import { createRemoteSchemas } from "./remote-schemas.ts";

interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

interface RemoteGroupsOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly servers: ApiServers;
  readonly clock: Clock;
  readonly log: Log;
}

export function createRemoteGroups({
  registry,
  catalog,
  servers,
  log,
  clock,
}: RemoteGroupsOptions): Delegate & { start(): void; close(): void } {
  const { vocabulary } = catalog.environment;
  const kind = catalog.of(APIService);
  const automanaged = vocabulary.word(automanagedLabel);
  /** By the name of the API service, which is "VERSION.GROUP". */
  const remotes = new Map<string, RemoteVersion>();
  let listed: readonly GroupListing[] | undefined;
  /** API services of this server's own group versions that were deleted; the next start creates them again. */
  const deletedLocal = new Set<string>();
  const isLocal = (name: string) =>
    localServices.some(({ group, version }) => name === `${version}.${vocabulary.group(group)}`);
  let generation = 0;

  // This server always answers for the group versions that it serves itself, even if an API service names another server.
  const isElsewhere = ({ group, version }: RemoteVersion) => catalog.ofGroupVersion(group, version).length === 0;
  const serviceNamed = (name: string) => {
    const service = registry.peek(kind, { namespace: "", name })?.object();
    return service !== undefined && isAvailable(service) ? service : undefined;
  };
  const schemas = createRemoteSchemas({
    servers,
    services: () =>
      [...remotes].flatMap(([name, remote]) => {
        const { group, version } = remote;
        return isElsewhere(remote) ? { name, group, version, service: serviceNamed(name) } : [];
      }),
    // Only aggregated discovery shows the resources of others.
    onResources: catalog.environment.has("aggregatedDiscovery") ? () => generation++ : undefined,
    clock,
    log,
  });
  const note = (entry: Entry<APIService>, deleted: boolean) => {
    if (deleted && isLocal(entry.name)) deletedLocal.add(entry.name);
    else deletedLocal.delete(entry.name);
    generation++;
    const isOwn = entry.labels.has(automanaged);
    const { spec } = deleted || isOwn ? { spec: undefined } : entry.object();
    if (spec?.service === undefined) {
      if (!remotes.delete(entry.name)) return;
      listed = undefined;
      schemas.refreshSoon();
      return;
    }
    const { group = "", version = "", groupPriorityMinimum: groupPriority, versionPriority } = spec;
    remotes.set(entry.name, { group, version, groupPriority, versionPriority });
    listed = undefined;
    schemas.refreshSoon();
  };
  const stop = registry.observe(kind, ({ entry, deleted }) => note(entry, deleted));
  for (const entry of registry.peekAll(kind)) note(entry, false);

  return {
    groups() {
      listed ??= listGroups([...remotes.values()].filter(isElsewhere));
      return listed;
    },
    withholds: (group, version) => deletedLocal.size > 0 && deletedLocal.has(`${version}.${group}`),
    serves(group, version) {
      if (remotes.size === 0) return false;
      const remote = remotes.get(`${version}.${group}`);
      return remote !== undefined && isElsewhere(remote);
    },
    async handle(exchange, facts) {
      const { group, version } = groupVersionOf(facts.path);
      const service = serviceNamed(`${version}.${group}`);
      if (/[^\x21-\x7e]/.test(exchange.target)) {
        return refuse(exchange, facts, 400, "the query contains a character that must be escaped");
      }
      if (service === undefined) return refuse(exchange, facts, 503, "service unavailable");
      try {
        await servers.forward(service, exchange, facts);
      } catch (error) {
        if (exchange.gone || exchange.responded) return;
        const reason = error instanceof Error ? error.message : String(error);
        log.info("a request could not be forwarded", { group, version, reason, auditId: facts.auditId });
        refuse(
          exchange,
          facts,
          error instanceof StatusError ? error.code : 503,
          `error trying to reach service: ${reason}`,
        );
      }
    },
    resources: {
      get generation() {
        return generation;
      },
      list: schemas.resources,
      isAvailable: (group, version) => serviceNamed(`${version}.${group}`) !== undefined,
    },
    schemas,
    start: schemas.start,
    close() {
      stop();
      schemas.close();
    },
  };
}

/** "/apis/GROUP/VERSION/…". */
function groupVersionOf(path: string): { readonly group: string; readonly version: string } {
  const [, , group = "", version = ""] = path.split("/");
  return { group, version };
}

function isAvailable({ status }: APIService): boolean {
  return (
    status?.conditions?.some(({ type, status: holds }) => type === availableCondition && holds === "True") ?? false
  );
}

/** In plain text, as in v1.21. */
function refuse(exchange: Exchange, { auditId }: RequestFacts, code: number, text: string): void {
  const headers = {
    "audit-id": auditId,
    "cache-control": "no-cache, private",
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  };
  exchange.send(code, headers, `${text}\n`);
}

/** Groups and versions in the order of their priorities. */
function listGroups(remotes: readonly RemoteVersion[]): readonly GroupListing[] {
  const byGroup = new Map<string, RemoteVersion[]>();
  for (const remote of remotes) byGroup.set(remote.group, [...(byGroup.get(remote.group) ?? []), remote]);
  const priority = (versions: readonly RemoteVersion[]) => Math.max(...versions.map((one) => one.groupPriority));
  return [...byGroup.entries()]
    .sort(([a, left], [b, right]) => priority(right) - priority(left) || (a < b ? -1 : 1))
    .map(([group, found]) => {
      const ordered = found.sort(
        (a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version),
      );
      const versions = ordered.map(({ version }) => version);
      return { group, versions, preferred: versions[0] as string }; // a group is listed because it has a version
    });
}
