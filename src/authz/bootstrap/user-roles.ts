/** Roles for people: the ones that administrators grant, and what every user has. */

import { between, since, until } from "../../base/release.ts";
import {
  aggregatedRole,
  allVerbs,
  changed,
  clusterRole,
  type DeclaredRole,
  paths,
  read,
  rule,
  write,
} from "./declare.ts";

export const userRoles: readonly DeclaredRole[] = [
  aggregatedRole("admin"),
  clusterRole("cluster-admin", [rule("*", "*", "*"), paths("*", "*")]),
  aggregatedRole("edit", "admin"),
  clusterRole(
    "system:aggregate-to-admin",
    [
      rule("create", "authorization.orch.io", "localsubjectaccessreviews"),
      rule(allVerbs, "rbac.authorization.orch.io", "rolebindings roles"),
    ],
    "admin",
  ),
  clusterRole(
    "system:aggregate-to-edit",
    [
      rule(read, "core", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
      rule("impersonate", "core", "serviceaccounts"),
      rule(write, "core", "pods pods/attach pods/exec pods/portforward pods/proxy"),
      since("1.24", rule("create", "core", "pods/eviction")),
      until(
        "1.22",
        rule(
          write,
          "core",
          "configmaps endpoints persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
        ),
      ),
      between(
        "1.22",
        "1.35",
        rule(
          write,
          "core",
          "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
        ),
      ),
      since(
        "1.35",
        rule(
          write,
          "core",
          "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
        ),
      ),
      since("1.24", rule("create", "core", "serviceaccounts/token")),
      since("1.35", rule(write, "core events.orch.io", "events")),
      rule(
        write,
        "apps",
        "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
      ),
      rule(write, "autoscaling", "horizontalpodautoscalers"),
      rule(write, "batch", "cronjobs jobs"),
      rule(
        write,
        "extensions",
        "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
      ),
      rule(write, "policy", "poddisruptionbudgets"),
      rule(write, "networking.orch.io", "ingresses networkpolicies"),
      since("1.24", rule(allVerbs, "coordination.orch.io", "leases")),
      since("1.34", rule(write, "resource.orch.io", "resourceclaims resourceclaimtemplates")),
    ],
    "edit",
  ),
  clusterRole(
    "system:aggregate-to-view",
    [
      rule(
        read,
        "core",
        "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
      ),
      ...changed(
        "1.35",
        rule(
          read,
          "core",
          "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
        ),
        rule(
          read,
          "core",
          "bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
        ),
      ),
      rule(read, "core", "namespaces"),
      since("1.35", rule(read, "core events.orch.io", "events")),
      since("1.22", rule(read, "discovery.orch.io", "endpointslices")),
      rule(
        read,
        "apps",
        "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
      ),
      rule(read, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
      rule(read, "batch", "cronjobs cronjobs/status jobs jobs/status"),
      rule(
        read,
        "extensions",
        "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
      ),
      rule(read, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
      rule(read, "networking.orch.io", "ingresses ingresses/status networkpolicies"),
      since("1.34", rule(read, "resource.orch.io", "resourceclaims resourceclaims/status resourceclaimtemplates")),
    ],
    "view",
  ),
  clusterRole("system:auth-delegator", [
    rule("create", "authentication.orch.io", "tokenreviews"),
    rule("create", "authorization.orch.io", "subjectaccessreviews"),
  ]),
  clusterRole("system:basic-user", [
    rule("create", "authorization.orch.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
    since("1.27", rule("create", "authentication.orch.io", "selfsubjectreviews")),
  ]),
  clusterRole("system:discovery", [
    paths("get", "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/"),
  ]),
  clusterRole("system:monitoring", [
    until("1.26", paths("get", "/healthz /healthz/* /livez /livez/* /metrics /readyz /readyz/*")),
    between(
      "1.26",
      "1.36",
      paths("get", "/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*"),
    ),
    since(
      "1.36",
      paths("get", "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz"),
    ),
    since("1.34", rule("get", "core", "nodes/metrics")),
  ]),
  clusterRole("system:public-info-viewer", [paths("get", "/healthz /livez /readyz /version /version/")]),
  aggregatedRole("view", "edit"),
];
