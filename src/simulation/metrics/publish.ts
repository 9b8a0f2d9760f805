/** Lets a server in another process answer for the metrics of simulated nodes: it forwards their group to the agents' port. */

import { APIService, availableCondition } from "../../api/apiregistration/v1/api-service.ts";
import { Service } from "../../api/core/v1/service.ts";
import { PodMetrics } from "../../api/metrics/v1beta1/pod-metrics.ts";
import type { AnyObject } from "../../client/contract.ts";
import type { ControllerContext, Running } from "../../controllers/contract.ts";
import { create, type Plan, update } from "../../controllers/plan.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { simulatedLabel } from "../node.ts";

/** Where the metrics are answered. */
export interface PublishedMetrics {
  /** IPv4: the service names it like a host, which an IPv6 address cannot be. */
  readonly address: string;
  readonly port: number;
  /** The authority of the certificate at this port, PEM. */
  readonly authority: string;
}

const serviceName = "simulated-nodes-metrics";

/** The name that the certificate at the port must have. */
export const metricsHost = (vocabulary: Vocabulary): string => `${serviceName}.${namespaceOf(vocabulary)}.svc`;

const namespaceOf = (vocabulary: Vocabulary): string => vocabulary.word("orch-system");

/** A server that has not reached the port for so long does not reach it at all. */
export const unreachedMsMax = 60_000;

export const othersServe = "metrics are not served by simulated nodes, because others serve them";

/** As metrics servers have them. */
const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };

/**
 * The API service is only there while these nodes run: one without a server makes discovery incomplete, and then namespaces cannot
 * be deleted. Metrics that somebody else serves are left alone.
 */
export function publishMetrics(context: ControllerContext, at: PublishedMetrics): Running {
  const { informers, vocabulary, clock, client, log } = context;
  const group = vocabulary.group(PodMetrics.group);
  const name = `${PodMetrics.version}.${group}`;
  const namespace = namespaceOf(vocabulary);
  const named = (text: string) => ({ fieldSelector: `metadata.name=${text}` });
  const apiServices = informers.of(APIService, named(name));
  const services = informers.of(Service, { namespace, ...named(serviceName) });
  const labels = { [simulatedLabel]: "true" };
  let publishedMs: number | undefined;
  let isWithdrawn = false;

  const service: Service = {
    metadata: { name: serviceName, namespace, labels },
    spec: { type: "ExternalName", externalName: at.address },
  };
  const spec: NonNullable<APIService["spec"]> = {
    group,
    version: PodMetrics.version,
    ...priorities,
    caBundle: Buffer.from(at.authority).toString("base64"),
    service: { namespace, name: serviceName, port: at.port },
  };
  const withdraw = async () => {
    isWithdrawn = true;
    await client.of(APIService).delete({ name });
    await client.of(Service).delete({ namespace, name: serviceName });
  };
  const publish = (): Plan => {
    const [found, apiService] = [services.get(`${namespace}/${serviceName}`), apiServices.get(name)];
    return {
      writes: [
        found === undefined
          ? create(Service, service)
          : update(Service, { ...found, spec: { ...found.spec, externalName: at.address } }),
        apiService === undefined
          ? create(APIService, { metadata: { name, labels }, spec })
          : update(APIService, { ...apiService, spec }),
      ],
      reviewInMs: unreachedMsMax,
      next() {
        publishedMs = clock.now();
        return undefined;
      },
    };
  };
  const queue = context.queue({
    name: "simulated-nodes-metrics",
    workers: 1,
    after: [apiServices, services],
    retriesMax: 5,
    async sync() {
      const apiService = apiServices.get(name);
      if (isWithdrawn) return undefined;
      if (apiService !== undefined && !isSimulated(apiService)) {
        log.info(othersServe, { apiService: name });
        return undefined;
      }
      if (publishedMs === undefined) return publish();
      if (clock.now() - publishedMs < unreachedMsMax || isAvailable(apiService)) return undefined;
      await withdraw();
      log.warn("the server does not reach the agents of simulated nodes, so it does not serve their metrics", {
        address: at.address,
      });
      return undefined;
    },
  });
  queue.add(name);
  return {
    async close() {
      await queue.close();
      if (publishedMs !== undefined && !isWithdrawn)
        await withdraw().catch((error: unknown) => log.debug("metrics were not withdrawn", { error }));
    },
  };
}

const isSimulated = ({ metadata }: AnyObject): boolean => metadata.labels?.[simulatedLabel] === "true";

const isAvailable = (service: APIService | undefined): boolean =>
  service?.status?.conditions?.some(({ type, status }) => type === availableCondition && status === "True") === true;
