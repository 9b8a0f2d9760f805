/**
 * Groups that API services say others serve. They are listed in discovery; nobody forwards requests to them yet, so these are
 * answered as those to a service that is down.
 */

import { automanagedLabel } from "../api/apiregistration/local-services.ts";
import { APIService } from "../api/apiregistration/v1/api-service.ts";
import type { Delegate } from "../http/contract/routes.ts";
import type { Catalog, GroupListing } from "../machinery/schema/catalog.ts";
import { compareVersions } from "../machinery/schema/version-order.ts";
import type { Entry } from "../registry/contract/entry.ts";
import type { Registry } from "../registry/contract/registry.ts";

interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

export function createRemoteGroups(registry: Registry, catalog: Catalog): Delegate & { close(): void } {
  const { vocabulary } = catalog.environment;
  const kind = catalog.of(APIService);
  const automanaged = vocabulary.word(automanagedLabel);
  /** By the name of the API service, which is "VERSION.GROUP". */
  const remotes = new Map<string, RemoteVersion>();
  let listed: readonly GroupListing[] | undefined;

  // What this server serves itself is its own, whatever an object says.
  const isElsewhere = ({ group, version }: RemoteVersion) => catalog.ofGroupVersion(group, version).length === 0;
  const note = (entry: Entry<APIService>, deleted: boolean) => {
    const isOwn = entry.labels.has(automanaged);
    const { spec } = deleted || isOwn ? { spec: undefined } : entry.object();
    if (spec?.service === undefined) {
      if (remotes.delete(entry.name)) listed = undefined;
      return;
    }
    const { group = "", version = "", groupPriorityMinimum: groupPriority, versionPriority } = spec;
    remotes.set(entry.name, { group, version, groupPriority, versionPriority });
    listed = undefined;
  };
  const stop = registry.observe(kind, ({ entry, deleted }) => note(entry, deleted));
  for (const entry of registry.peekAll(kind)) note(entry, false);

  return {
    groups() {
      listed ??= listGroups([...remotes.values()].filter(isElsewhere));
      return listed;
    },
    serves(group, version) {
      if (remotes.size === 0) return false;
      const remote = remotes.get(`${version}.${group}`);
      return remote !== undefined && isElsewhere(remote);
    },
    // In the words of v1.21, which says so in plain text.
    async handle(exchange, { auditId }) {
      const headers = {
        "audit-id": auditId,
        "cache-control": "no-cache, private",
        "content-type": "text/plain; charset=utf-8",
        "x-content-type-options": "nosniff",
      };
      exchange.send(503, headers, "service unavailable\n");
    },
    close: stop,
  };
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
