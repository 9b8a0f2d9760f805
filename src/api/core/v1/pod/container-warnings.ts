/** What the authors of pods are told about their containers. */

import type { Environment } from "../../../../machinery/schema/environment.ts";
import { fractionWarnings } from "../volume/warnings.ts";
import type { Container } from "./container.ts";

function repeated(at: string, name: string, since: Environment["since"]): string {
  if (!since("1.26")) return `${at}.name: duplicate name "${name}"`;
  const hidden = `${at}: hides previous definition of "${name}"`;
  return since("1.30") ? `${hidden}, which may be dropped when using apply` : hidden;
}

type ContainerPort = NonNullable<Container["ports"]>[number];

/** With how many earlier ports of the same number a port is compared. */
const comparedMax = 16;

export function containerWarnings(
  { env = [], resources }: Container,
  at: string,
  { since }: Pick<Environment, "since">,
): string[] {
  const seen = new Set<string>();
  const variables = env.flatMap(({ name, value = "", valueFrom }, index) => {
    const isRepeated = seen.has(name);
    seen.add(name);
    // A variable may be made of its earlier value.
    const usesItself = valueFrom === undefined && value !== `$(${name})` && value.includes(`$(${name})`);
    return isRepeated && !usesItself ? [repeated(`${at}.env[${index}]`, name, since)] : [];
  });
  return [
    ...["memory", "ephemeral-storage"].flatMap((name) => [
      ...fractionWarnings(resources?.limits, `${at}.resources.limits`, [name]),
      ...fractionWarnings(resources?.requests, `${at}.resources.requests`, [name]),
    ]),
    ...variables,
  ];
}

/** Containers of a pod share its network, so their ports may collide. `containers` come with their paths below `at`. */
export function portWarnings(containers: readonly (readonly [Container, string])[], at: string): string[] {
  const earlier = new Map<string, { readonly port: ContainerPort; readonly path: string }[]>();
  return containers.flatMap(([{ ports = [] }, name]) =>
    ports.flatMap((port, index) => {
      const path = `${at}.${name}.ports[${index}]`;
      const key = `${port.containerPort}/${port.protocol}`;
      const others = earlier.get(key) ?? [];
      if (others.length < comparedMax) earlier.set(key, [...others, { port, path }]);
      return [
        ...(port.hostIP && !port.hostPort ? [`${path}: hostIP has no effect without hostPort`] : []),
        ...others.flatMap((other) => collision(port, other.port).map((how) => `${path}: ${how} ${other.path}`)),
      ];
    }),
  );
}

function collision(a: ContainerPort, b: ContainerPort): string[] {
  const [ofA, ofB] = [a.hostPort ?? 0, b.hostPort ?? 0];
  const [ipA, ipB] = [a.hostIP ?? "", b.hostIP ?? ""];
  if (ofA === ofB && ipA === ipB) return ["duplicate port definition with"];
  if (ofA === 0 || ofB === 0) return ["overlapping port definition with"];
  return ofA === ofB && (ipA === "") !== (ipB === "") ? ["overlapping port definition with"] : [];
}
