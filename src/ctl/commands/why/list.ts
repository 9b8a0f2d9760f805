/** The kinds that `why` knows. To add one: a file with its Explainer, and its line here. */

import { autoscalerExplainer } from "./autoscalers.ts";
import { claimExplainer } from "./claims.ts";
import type { Explainer } from "./explanation.ts";
import { ingressExplainer } from "./ingresses.ts";
import { namespaceExplainer } from "./namespaces.ts";
import { podExplainer } from "./pod.ts";
import { serviceExplainer } from "./services.ts";
import { webhookExplainers } from "./webhooks.ts";
import { workloadExplainers } from "./workloads.ts";

export const explainers: readonly Explainer[] = [
  podExplainer,
  ...workloadExplainers,
  claimExplainer,
  serviceExplainer,
  ingressExplainer,
  autoscalerExplainer,
  ...webhookExplainers,
  namespaceExplainer,
];
