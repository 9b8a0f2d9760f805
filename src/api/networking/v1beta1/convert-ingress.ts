/** Ingresses of the beta versions, which look alike in both groups, to v1 and back. */

import { given } from "../../../machinery/json/json-value.ts";
import type { ObjectMeta } from "../../../machinery/schema/object-meta.ts";
import type * as Hub from "../v1/ingress-spec.ts";
import type { IngressStatus as HubIngressStatus } from "../v1/ingress-status.ts";
import type { IngressBackend, IngressSpec, IngressStatus } from "./ingress-shape.ts";

interface HubParts {
  metadata: ObjectMeta;
  spec?: Hub.IngressSpec;
  status?: HubIngressStatus;
}
interface BetaParts {
  metadata: ObjectMeta;
  spec?: IngressSpec;
  status?: IngressStatus;
}

export function ingressToHub({ metadata, spec, status }: BetaParts): HubParts {
  return { metadata, ...given({ spec: spec && specToHub(spec), status }) };
}

export function ingressFromHub({ metadata, spec, status }: HubParts): BetaParts {
  return { metadata, ...given({ spec: spec && specFromHub(spec), status }) };
}

function specToHub({ backend, rules, ...rest }: IngressSpec): Hub.IngressSpec {
  return given({
    defaultBackend: backend && backendToHub(backend),
    ...rest,
    rules: rules?.map(({ http, ...rule }) => given({ ...rule, http: http && withBackends(http, backendToHub) })),
  });
}

function specFromHub({ defaultBackend, rules, ...rest }: Hub.IngressSpec): IngressSpec {
  return given({
    backend: defaultBackend && backendFromHub(defaultBackend),
    ...rest,
    rules: rules?.map(({ http, ...rule }) => given({ ...rule, http: http && withBackends(http, backendFromHub) })),
  });
}

/** A rule without paths has null for them. */
const withBackends = <A, B, P extends { backend: A }>(
  http: { paths: P[] | null },
  convert: (backend: A) => B,
): { paths: (Omit<P, "backend"> & { backend: B })[] } => ({
  paths: (http.paths ?? []).map((path) => ({ ...path, backend: convert(path.backend) })),
});

/** A port is a number or a name; the number 0 and an empty name mean that there is none. */
function backendToHub({ serviceName = "", servicePort = 0, resource }: IngressBackend): Hub.IngressBackend {
  const port = typeof servicePort === "number" ? { number: servicePort } : { name: servicePort };
  const hasService = serviceName !== "" || servicePort !== 0;
  return given({ resource, service: hasService ? { name: serviceName, port } : undefined });
}

function backendFromHub({ service, resource }: Hub.IngressBackend): IngressBackend {
  return given({
    serviceName: service?.name,
    servicePort: service?.port?.name || service?.port?.number,
    resource,
  });
}
