/** Which namespaces and ports of its node a pod may use. */

import { type FieldErrors, invalid, noErrors, ofEach } from "../../machinery/status/field-error.ts";
import type { CreateStrategy } from "./contract.ts";

const namespaces = ["hostNetwork", "hostPID", "hostIPC"] as const;

export const createHostNamespaces: CreateStrategy = ({ spec: allowed }) => ({
  validatePod: ({ spec }): FieldErrors =>
    namespaces
      .filter((name) => spec?.[name] && !allowed[name])
      .map((name) => invalid(`spec.securityContext.${name}`, true, "is not allowed to be used")),
});

export const createHostPorts: CreateStrategy = ({ spec: { hostPorts = [] } }) => ({
  validateContainer: (_pod, { ports }, path) =>
    ofEach(ports, ({ hostPort = 0 }, index) => {
      if (hostPort <= 0 || hostPorts.some(({ min, max }) => hostPort >= min && hostPort <= max)) return noErrors;
      const ranges = hostPorts.map(({ min, max }) => `${min}-${max}`).join(", ") || "none";
      return [invalid(`${path}.ports[${index}].hostPort`, hostPort, `must be among the allowed ports: ${ranges}`)];
    }),
});
