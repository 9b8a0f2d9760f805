/** Every metric there is, by name; one module for each subject. To add one, export a declaration; to add a subject, add a line. */

import * as access from "./access.ts";
import * as admission from "./admission.ts";
import * as audit from "./audit.ts";
import * as clients from "./clients.ts";
import type { DeclaredMetric } from "./declare.ts";
import * as encryption from "./encryption.ts";
import * as extensions from "./extensions.ts";
import * as flowControl from "./flow-control.ts";
import * as process from "./process.ts";
import * as requests from "./requests.ts";
import * as storage from "./storage.ts";
import * as workQueues from "./work-queues.ts";
import * as workspaces from "./workspaces.ts";

export const metricTable: readonly DeclaredMetric[] = [
  requests,
  flowControl,
  access,
  admission,
  audit,
  storage,
  encryption,
  extensions,
  clients,
  workQueues,
  process,
  workspaces,
]
  .flatMap((subject) => Object.values<DeclaredMetric>(subject))
  .sort((a, b) => (a.name < b.name ? -1 : 1));
