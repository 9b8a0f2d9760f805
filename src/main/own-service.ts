/** The service through which clients inside find this server: `orch` in `default`, with the addresses behind it. */

import { serverUser } from "../authz/reconcile.ts";
import type { Log } from "../base/log.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import { copyJson } from "../machinery/schema/json-value.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { Registry, WriteContext } from "../registry/contract.ts";

export interface OwnServiceOptions {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly log: Log;
  /** The first address of --service-cluster-ip-range. */
  readonly clusterIp: string;
  /** --orch-service-node-port; 0: none. */
  readonly nodePort: number;
  /** Whether no other server writes to the store, so that no other address can be right. */
  readonly alone: boolean;
}

export interface OwnService {
  /** Makes the service if it is not there. `port` is the one that this server listens on. */
  ensure(port: number): Promise<void>;
  /** Puts this server behind the service. */
  announce(place: { readonly address: string; readonly port: number }): Promise<void>;
  /** Takes it away again; nothing if it was never there. */
  withdraw(): Promise<void>;
}

const servicePort = 443;
const portName = "https";

export function createOwnService(options: OwnServiceOptions): OwnService {
  const { registry, catalog, log, clusterIp, nodePort, alone } = options;
  const { vocabulary } = catalog.environment;
  const name = vocabulary.word("orch");
  const ref = { namespace: "default", name };
  const context: WriteContext = {
    user: serverUser,
    dryRun: false,
    fieldManager: vocabulary.word("orch-apiserver"),
    warn() {},
  };
  const kindOf = (group: string, resource: string) => catalog.byResource(vocabulary.group(group), "v1", resource);
  let announced: { readonly address: string; readonly port: number } | undefined;

  const create = async (kind: BoundKind | undefined, object: ApiObject) => {
    if (kind === undefined || registry.peek(kind.family, ref) !== undefined) return;
    await registry.create(kind, object, ref, context).catch((error: unknown) => {
      // Another server of the same store was faster, or something stands in the way that people must see to.
      if (!(error instanceof StatusError)) throw error;
      if (error.reason !== "AlreadyExists") log.warn("the server's own service could not be made", { error });
    });
  };

  const change = async (kind: BoundKind | undefined, make: (addresses: readonly string[]) => Partial<ApiObject>) => {
    if (kind === undefined) return;
    const found = registry.peek(kind.family, ref);
    const before = found === undefined ? [] : addressesOf(found.object());
    if (found === undefined) {
      if (announced !== undefined) await create(kind, { metadata: { name }, ...make([announced.address]) });
      return;
    }
    await registry
      .update(kind, ref, (current) => {
        const others = current === undefined ? before : addressesOf(current);
        const kept = alone ? [] : others.filter((address) => address !== announced?.address);
        const next = announced === undefined ? kept : [...new Set([...kept, announced.address])].sort();
        return { ...copyJson(current ?? { metadata: { name } }), ...make(next) };
      }, context, { retry: true })
      .catch((error: unknown) => {
        if (!(error instanceof StatusError)) throw error;
        log.warn("the server's own addresses could not be written", { error });
      });
  };

  const publish = async (port: number, leaving?: string) => {
    const drop = (addresses: readonly string[]) => addresses.filter((address) => address !== leaving);
    await change(kindOf("", "endpoints"), (all) => endpoints(drop(all), port, vocabulary.word("endpointslice.orch.io/skip-mirror")));
    await change(kindOf("discovery.orch.io", "endpointslices"), (all) =>
      slice(drop(all), port, { [vocabulary.word("orch.io/service-name")]: name }),
    );
  };

  return {
    ensure: (port) =>
      create(kindOf("", "services"), {
        metadata: { name, labels: { component: "apiserver", provider: name } },
        spec: {
          type: nodePort > 0 ? "NodePort" : "ClusterIP",
          clusterIP: clusterIp,
          ports: [
            { name: portName, protocol: "TCP", port: servicePort, targetPort: port, ...(nodePort > 0 ? { nodePort } : {}) },
          ],
          sessionAffinity: "None",
        },
      }),
    async announce(place) {
      announced = place;
      await publish(place.port);
    },
    async withdraw() {
      if (announced === undefined) return;
      const { address, port } = announced;
      announced = undefined;
      await publish(port, address);
    },
  };
}

/** Of Endpoints and of an EndpointSlice alike. */
function addressesOf(object: ApiObject): string[] {
  const { subsets, endpoints: items } = object as {
    subsets?: readonly { addresses?: readonly { ip: string }[] }[];
    endpoints?: readonly { addresses: readonly string[] }[] | null;
  };
  return [
    ...(subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)),
    ...(items ?? []).flatMap(({ addresses }) => addresses),
  ];
}

function endpoints(addresses: readonly string[], port: number, skipMirror: string): Partial<ApiObject> {
  const subset = { addresses: addresses.map((ip) => ({ ip })), ports: [{ name: portName, port, protocol: "TCP" }] };
  return { subsets: addresses.length > 0 ? [subset] : [] };
}

function slice(addresses: readonly string[], port: number): Partial<ApiObject> {
  return {
    addressType: addresses[0]?.includes(":") ? "IPv6" : "IPv4",
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: portName, port, protocol: "TCP" }],
  };
}
