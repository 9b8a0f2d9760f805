/** Metrics about workspaces, at the root: a workspace that is open has metrics of its own. */

import { counter } from "./declare.ts";

export const refusedByWorkspace = counter(
  "orch_workspace_refused_requests_total",
  ["workspace", "code"],
  "Requests to a workspace that it did not get, by the status that was answered: it does not exist, is suspended, has too many.",
);
