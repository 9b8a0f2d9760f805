/** The service through which clients in the cluster find this server: `orch` in `default`, with its addresses. */

import { Endpoints } from "../api/core/v1/endpoints.ts";
import { Service } from "../api/core/v1/service.ts";
import { EndpointSlice } from "../api/discovery/v1/endpoint-slice.ts";
import type { Log } from "../base/log.ts";
import { copyJson } from "../machinery/json/json-value.ts";
import type { BoundKind, Catalog } from "../machinery/schema/catalog.ts";
import { decodeKind } from "../machinery/schema/decode-kind.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { StatusError } from "../machinery/status/status.ts";
import type { Registry } from "../registry/contract/registry.ts";
import { serverWrites } from "../registry/contract/server-writes.ts";
import type { EndpointReconciler, NextAddresses } from "./endpoint-reconcilers.ts";

interface OwnServiceOptions {
  readonly registry: Pick<Registry, "peek" | "create" | "update">;
  readonly catalog: Catalog;
  readonly log: Log;
  /** The first address of --service-cluster-ip-range. */
  readonly clusterIp: string;
  /** --orch-service-node-port; 0: none. */
  readonly nodePort: number;
  readonly reconciler: EndpointReconciler;
}

/** The address at which clients in the cluster reach this server. */
interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

export interface OwnService {
  /**
   * Creates the service if it is missing, and corrects its endpoints; called at intervals. `port` is the one that this server
   * listens on.
   */
  ensure(port: number): Promise<void>;
  /** Adds this server to the endpoints of the service. If that fails, `ensure` will do it. */
  announce(server: ServerAddress): Promise<void>;
  /** Removes it from them again; does nothing if it was never added. */
  withdraw(): Promise<void>;
}

const servicePort = 443;
const portName = "https";

export function createOwnService(options: OwnServiceOptions): OwnService {
  const { registry, catalog, log, clusterIp, nodePort, reconciler } = options;
  const { vocabulary } = catalog.environment;
  const name = vocabulary.word("orch");
  const ref = { namespace: "default", name };
  const context = serverWrites("own service", vocabulary);
  let announced: ServerAddress | undefined;

  const attempt = async (write: Promise<unknown>) => {
    await write.catch((error: unknown) => {
      if (!(error instanceof StatusError)) throw error;
      // Another server of the same store was faster, or there is an obstacle that a person must remove.
      if (error.reason !== "AlreadyExists") log.warn("the server's own service could not be written", { error });
    });
  };
  const create = async (kind: BoundKind, object: ApiObject) =>
    attempt(registry.create(kind, decodeKind(kind, object), ref, context));

  /** Endpoints and EndpointSlice, the two kinds in which v1.21 lists the addresses of a service. */
  const publish = async (change: NextAddresses | undefined, ports: (listed: number | undefined) => number) => {
    if (change === undefined) return;
    const forms = [
      {
        kind: catalog.of(Endpoints),
        labels: { [vocabulary.word("endpointslice.orch.io/skip-mirror")]: "true" },
        make: endpoints,
      },
      {
        kind: catalog.of(EndpointSlice),
        labels: { [vocabulary.word("orch.io/service-name")]: name },
        make: slice,
      },
    ];
    for (const { kind, labels, make } of forms) {
      if (!catalog.isServed(kind)) continue;
      const next = (current: ApiObject | undefined): ApiObject => {
        const { addresses, port } = current === undefined ? nothingListed : listedIn(current);
        const object = copyJson(current ?? { metadata: { name, labels } });
        return decodeKind(kind, { ...object, ...make(change(addresses), ports(port)) });
      };
      await attempt(registry.update(kind, ref, next, context, { retry: true, createIfMissing: true }));
    }
  };

  /** Servers that listen on different ports must not correct each other forever, so only a start sets the port. */
  const join = async ({ address, port }: ServerAddress, isStart: boolean) =>
    publish(await reconciler.join(address), (listed) => (isStart ? port : (listed ?? port)));

  return {
    async ensure(port) {
      const kind = catalog.of(Service);
      if (catalog.isServed(kind) && registry.peek(kind, ref) === undefined) {
        const exposed = nodePort > 0 ? { nodePort } : {};
        await create(kind, {
          metadata: { name, labels: { component: "apiserver", provider: name } },
          spec: {
            type: nodePort > 0 ? "NodePort" : "ClusterIP",
            clusterIP: clusterIp,
            ports: [{ name: portName, protocol: "TCP", port: servicePort, targetPort: port, ...exposed }],
            sessionAffinity: "None",
          },
        });
      }
      if (announced !== undefined) await join(announced, false);
    },
    async announce(server) {
      announced = server;
      await join(server, true).catch((error: unknown) => {
        log.warn("this server could not be added to the endpoints of its own service", { error });
      });
    },
    async withdraw() {
      if (announced === undefined) return;
      const { address, port } = announced;
      announced = undefined;
      await publish(await reconciler.leave(address), (listed) => listed ?? port);
    },
  };
}

interface Listed {
  readonly addresses: readonly string[];
  /** Undefined: none is listed. */
  readonly port: number | undefined;
}

const nothingListed: Listed = { addresses: [], port: undefined };

/** What Endpoints or an EndpointSlice list. */
function listedIn(object: ApiObject): Listed {
  const {
    subsets,
    endpoints: items,
    ports,
  } = object as {
    subsets?: readonly { addresses?: readonly { ip: string }[]; ports?: readonly { port: number }[] }[];
    endpoints?: readonly { addresses: readonly string[] }[] | null;
    ports?: readonly { port?: number }[] | null;
  };
  return {
    addresses: [
      ...(subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip)),
      ...(items ?? []).flatMap(({ addresses }) => addresses),
    ],
    port: subsets?.[0]?.ports?.[0]?.port ?? ports?.[0]?.port,
  };
}

function endpoints(addresses: readonly string[], port: number): Partial<ApiObject> {
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
