/** Metrics about aggregated servers, custom resources and the OpenAPI document. */

import { counter, gauge } from "./declare.ts";

export const unavailableServices = gauge(
  "aggregator_unavailable_apiservice",
  ["name"],
  "1 for each API service whose server cannot be reached, 0 for the others.",
);

export const unavailableServicesTotal = counter(
  "aggregator_unavailable_apiservice_total",
  ["name", "reason"],
  "How often an API service became unavailable, by reason.",
);

export const openApiRegenerations = counter(
  "aggregator_openapi_v2_regeneration_count",
  [],
  "How often the OpenAPI v2 document was built.",
);

export const openApiDuration = gauge(
  "aggregator_openapi_v2_regeneration_duration",
  [],
  "How long the last build of the OpenAPI v2 document took, in seconds.",
);
