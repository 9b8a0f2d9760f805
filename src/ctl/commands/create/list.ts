/** Every subcommand of `create`. */

import type { Command } from "../../command.ts";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "./access.ts";
import { configMap, secret } from "./data.ts";
import { ingress, service } from "./network.ts";
import { namespace, podDisruptionBudget, priorityClass, quota, serviceAccount } from "./small.ts";
import { token } from "./token.ts";
import { cronJob, deployment, job } from "./workloads.ts";

export const generators: readonly Command[] = [
  clusterRole,
  clusterRoleBinding,
  configMap,
  cronJob,
  deployment,
  ingress,
  job,
  namespace,
  podDisruptionBudget,
  priorityClass,
  quota,
  role,
  roleBinding,
  secret,
  service,
  serviceAccount,
  token,
];
