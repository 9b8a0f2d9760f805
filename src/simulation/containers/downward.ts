/** What a container or a file learns about its own pod: fields and resources. */

import type { Container } from "../../api/core/v1/pod/container.ts";
import type { ObjectFieldSelector, ResourceFieldSelector } from "../../api/core/v1/pod/container-env.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { milliValue, quantityOf, wholeValue } from "../../machinery/values/quantity.ts";

/** What the node of a pod has, as quantities: what a container without a limit may use. */
export type NodeResources = Readonly<Record<string, string>>;

export function fieldText(pod: Pod, { fieldPath }: ObjectFieldSelector): string {
  const { metadata, spec, status } = pod;
  const [, table, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (table !== undefined) return metadata[table as "labels" | "annotations"]?.[key ?? ""] ?? ""; // by the expression
  switch (fieldPath) {
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "metadata.labels":
      return lines(metadata.labels);
    case "metadata.annotations":
      return lines(metadata.annotations);
    case "spec.nodeName":
    case "spec.host":
      return spec?.nodeName ?? "";
    case "spec.serviceAccountName":
      return spec?.serviceAccountName ?? "";
    case "status.hostIP":
      return status?.hostIP ?? "";
    case "status.podIP":
      return status?.podIP ?? "";
    case "status.podIPs":
      return (status?.podIPs ?? []).map(({ ip }) => ip).join(",");
    case "status.hostIPs":
      return (status?.hostIPs ?? []).map(({ ip }) => ip).join(",");
    default:
      return "";
  }
}

/** As files show it: `name="value"`, in order of the names. */
const lines = (table: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(table ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join("\n");

/** `own`: the container of a variable, which need not name one. */
export function resourceText(
  pod: Pod,
  { containerName, resource, divisor = "0" }: ResourceFieldSelector,
  node: NodeResources,
  own?: Container,
): string {
  const named = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find(
    ({ name }) => name === containerName,
  );
  const { limits, requests } = (containerName ? named : own)?.resources ?? {};
  const [list = "", ...rest] = resource.split(".");
  const name = rest.join(".");
  const limit = limits?.[name] ?? (list === "limits" ? (node[name] ?? "0") : "0");
  const amount = list === "limits" ? limit : (requests?.[name] ?? limits?.[name] ?? "0");
  const unit = divisor === "0" || divisor === "" ? "1" : divisor;
  const [have, by] =
    name === "cpu"
      ? [milliValue(quantityOf(amount)), milliValue(quantityOf(unit))]
      : [wholeValue(quantityOf(amount)), wholeValue(quantityOf(unit))];
  return by === 0n ? "0" : String((have + by - 1n) / by);
}
