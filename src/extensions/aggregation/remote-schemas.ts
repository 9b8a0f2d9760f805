/** The OpenAPI and discovery documents of aggregated servers: fetched in the background, so that no request ever waits for another server. */

import { createHash } from "node:crypto";
import type { APIService } from "../../api/apiregistration/v1/api-service.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ApiResource, ForeignDocument, ForeignSchema, ForeignSchemas } from "../../http/contract/routes.ts";
import type { ApiServers } from "./api-server.ts";
import { filterSchema } from "./filter-schema.ts";
import { readResourceList } from "./read-resource-list.ts";

/** How often servers are polled for a changed schema. */
const refreshMs = 60_000;
/** After a change of an API service; several changes come together. */
const soonMs = 100;
/** Servers that are polled at once: a slow one delays few others. */
const askedAtOnceMax = 4;

interface RemoteService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  /** Undefined: it is not available now. */
  readonly service: APIService | undefined;
}

type AvailableService = Pick<RemoteService, "group" | "version"> & { readonly service: APIService };

interface RemoteSchemasOptions {
  readonly servers: Pick<ApiServers, "document">;
  /** All group versions of aggregated servers. */
  readonly services: () => readonly RemoteService[];
  /** Called after a list of resources has changed. Absent: the lists are not fetched. */
  readonly onResources?: (() => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface Known {
  etag: string;
  schema: ForeignSchema | undefined;
  v3Etag: string;
  v3: ForeignDocument | undefined;
  /** The digest of the list of resources; "": not received yet. */
  resourcesDigest: string;
  resources: readonly ApiResource[] | undefined;
  /** Why the last attempt failed; "": it did not. Logged when it changes. */
  problem: string;
}

interface RemoteSchemas extends ForeignSchemas {
  /** Undefined: not known so far. */
  resources(group: string, version: string): readonly ApiResource[] | undefined;
  /** Something has changed: poll all servers again soon. */
  refreshSoon(): void;
  start(): void;
  close(): void;
}

const unknown: Known = {
  etag: "",
  schema: undefined,
  v3Etag: "",
  v3: undefined,
  resourcesDigest: "",
  resources: undefined,
  problem: "",
};

export function createRemoteSchemas({
  servers,
  services,
  onResources,
  clock,
  log,
}: RemoteSchemasOptions): RemoteSchemas {
  const known = new Map<string, Known>();
  let generation = 0;
  let phase: "idle" | "waiting" | "asking" | "asking again" | "closed" = "idle";
  let isStarted = false;
  let cancel = () => {};

  const schedule = (ms: number) => {
    cancel();
    phase = "waiting";
    cancel = clock.after(ms, () => void round());
  };
  const round = async () => {
    phase = "asking";
    const current = services();
    const names = new Set(current.map(({ name }) => name));
    for (const name of known.keys()) if (!names.has(name) && known.delete(name)) generation++;
    const left = current.filter(({ service }) => service !== undefined);
    const work = async () => {
      for (let next = left.shift(); next !== undefined && phase !== "closed"; next = left.shift()) await refresh(next);
    };
    await Promise.all(Array.from({ length: askedAtOnceMax }, work));
    // While it waited, the server may have closed, or another change may have come.
    const now = phase as string;
    if (now !== "closed" && known.size + current.length > 0) schedule(now === "asking again" ? soonMs : refreshMs);
    else if (now !== "closed") phase = "idle";
  };
  const refresh = async ({ name, group, version, service }: RemoteService) => {
    if (service === undefined) return;
    const state = known.get(name) ?? { ...unknown };
    known.set(name, state);
    const documents = [readResources, readV2, readV3].map(async (read) => {
      try {
        await read(state, { service, group, version });
        return "";
      } catch (error) {
        // The last known document stays: a busy server still serves the same kinds. One that cannot be used does not hide the others.
        return error instanceof Error ? error.message : String(error);
      }
    });
    const problem = (await Promise.all(documents)).find((text) => text !== "") ?? "";
    if (problem !== "" && problem !== state.problem)
      log.info("a document of an aggregated server cannot be used", { name, problem });
    state.problem = problem;
  };

  const readResources = async (state: Known, { service, group, version }: AvailableService) => {
    if (onResources === undefined) return;
    const list = await servers.document(service, `/apis/${group}/${version}`, "");
    const found = typeof list === "object" ? digest(list.bytes) : "";
    if (typeof list !== "object" || found === state.resourcesDigest) return;
    state.resources = readResourceList(list.bytes);
    state.resourcesDigest = found;
    onResources();
  };
  const readV2 = async (state: Known, { service, group, version }: AvailableService) => {
    const v2 = await servers.document(service, "/openapi/v2", state.etag);
    if (v2 === "unchanged") return;
    state.schema = v2 === undefined ? undefined : await filterSchema(v2.bytes, group, version);
    state.etag = v2?.etag ?? "";
    generation++;
  };
  const readV3 = async (state: Known, { service, group, version }: AvailableService) => {
    const v3 = await servers.document(service, `/openapi/v3/apis/${group}/${version}`, state.v3Etag);
    if (v3 === "unchanged") return;
    state.v3 = v3 === undefined ? undefined : { bytes: v3.bytes, etag: `"${digest(v3.bytes)}"` };
    state.v3Etag = v3?.etag ?? "";
  };

  return {
    get generation() {
      return generation;
    },
    v2: () => [...known.values()].flatMap(({ schema }) => schema ?? []),
    v3: (group, version) => known.get(`${version}.${group}`)?.v3,
    resources: (group, version) => known.get(`${version}.${group}`)?.resources,
    v3Names: () =>
      services()
        .filter(({ name }) => known.get(name)?.v3 !== undefined)
        .map(({ group, version }) => ({ group, version })),
    refreshSoon() {
      if (!isStarted || phase === "closed") return;
      if (phase === "asking") phase = "asking again";
      else if (phase !== "asking again") schedule(soonMs);
    },
    start() {
      isStarted = true;
      if (services().length > 0) schedule(soonMs);
    },
    close() {
      phase = "closed";
      cancel();
    },
  };
}

const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex").toUpperCase();
