/**
 * The metrics of simulated nodes as an aggregated server answers for them: discovery of the group, and get and list of its two
 * resources, in JSON.
 */

import { NodeMetrics } from "../../api/metrics/v1beta1/node-metrics.ts";
import { PodMetrics } from "../../api/metrics/v1beta1/pod-metrics.ts";
import { parseFieldSelector } from "../../machinery/selectors/field-selector.ts";
import { parseLabelSelector } from "../../machinery/selectors/label-selector.ts";
import { badRequest, methodNotAllowed, noSuchPath, notFound, StatusError } from "../../machinery/status/status.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { SimulatedMetrics } from "./metrics.ts";

interface MetricsAnswer {
  readonly code: number;
  /** JSON. */
  readonly body: object;
}

interface MetricsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

type AnyMetrics = Readonly<PodMetrics> | Readonly<NodeMetrics>;

export class MetricsGroup {
  readonly #metrics: SimulatedMetrics;
  readonly #vocabulary: Vocabulary;

  constructor(metrics: SimulatedMetrics, vocabulary: Vocabulary) {
    this.#metrics = metrics;
    this.#vocabulary = vocabulary;
  }

  /** The body of a refusal is a Status. */
  answer(request: MetricsRequest): MetricsAnswer {
    try {
      return { code: 200, body: this.#read(request) };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { code: error.code, body: error.toStatus() };
    }
  }

  #read({ method, path, query }: MetricsRequest): object {
    const [, apis, group, version, ...rest] = path.split("/");
    const spoken = this.#vocabulary.group(PodMetrics.group);
    if (apis !== "apis" || (group !== undefined && group !== spoken)) throw noSuchPath();
    if (method !== "GET")
      throw new StatusError("MethodNotAllowed", `${method} is not supported: metrics are only read`);
    if (group === undefined) return { kind: "APIGroupList", apiVersion: "v1", groups: [this.#group()] };
    if (version === undefined) return { kind: "APIGroup", apiVersion: "v1", ...this.#group() };
    if (version !== PodMetrics.version) throw noSuchPath();
    if (rest.length === 0) return this.#resources();
    if (rest[0] === NodeMetrics.resource && rest.length <= 2)
      return this.#objects(NodeMetrics, this.#metrics.nodes(), rest[1], query);
    const [namespace, tail] = rest[0] === "namespaces" ? [rest[1] ?? "", rest.slice(2)] : [undefined, rest];
    if (tail[0] !== PodMetrics.resource || tail.length > (namespace === undefined ? 1 : 2)) throw noSuchPath();
    const pods = this.#metrics.pods();
    const wanted = namespace === undefined ? pods : pods.filter(({ metadata }) => metadata.namespace === namespace);
    return this.#objects(PodMetrics, wanted, tail[1], query);
  }

  #group() {
    const name = this.#vocabulary.group(PodMetrics.group);
    const version = { groupVersion: `${name}/${PodMetrics.version}`, version: PodMetrics.version };
    return { name, versions: [version], preferredVersion: version };
  }

  #resources() {
    const resources = [NodeMetrics, PodMetrics].map(({ resource, kind, scope, verbs }) => ({
      name: resource,
      singularName: "",
      namespaced: scope === "Namespaced",
      kind,
      verbs,
    }));
    return {
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: this.#group().preferredVersion.groupVersion,
      resources,
    };
  }

  #objects(
    { kind, resource }: { readonly kind: string; readonly resource: string },
    all: readonly AnyMetrics[],
    name: string | undefined,
    query: URLSearchParams,
  ): object {
    const group = this.#group();
    const apiVersion = group.preferredVersion.groupVersion;
    if (name !== undefined) {
      const found = all.find(({ metadata }) => metadata.name === name);
      if (found === undefined) throw notFound({ group: group.name, kind: resource }, name);
      return { kind, apiVersion, ...found };
    }
    if (["1", "true"].includes(query.get("watch") ?? ""))
      throw methodNotAllowed({ group: group.name, kind: resource }, "watch");
    return { kind: `${kind}List`, apiVersion, metadata: {}, items: select(all, query) };
  }
}

/** Those that the query selects by labels, names and namespaces. */
function select(all: readonly AnyMetrics[], query: URLSearchParams): readonly AnyMetrics[] {
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const fields = parseFieldSelector(query.get("fieldSelector") ?? "");
  for (const { path } of fields)
    if (path !== "metadata.name" && path !== "metadata.namespace")
      throw badRequest(`field label not supported: ${path.slice(0, 200)}`);
  return all.filter(({ metadata }) => {
    const textAt = (path: string) => (path === "metadata.name" ? metadata.name : metadata.namespace) ?? "";
    return (
      labels.matches(new Map(Object.entries(metadata.labels ?? {}))) &&
      fields.every(({ path, operator, value }) => (textAt(path) === value) === (operator === "="))
    );
  });
}
