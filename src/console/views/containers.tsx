/** The containers of a pod: what they run, and how they are. */

import { type Json, part, parts, text } from "../server/json.ts";
import { ListTable } from "./list-table.tsx";

interface Container {
  readonly role: string;
  readonly spec: Json;
  readonly status: Json;
}

const lists = [
  ["initContainers", "initContainerStatuses", "init"],
  ["containers", "containerStatuses", ""],
  ["ephemeralContainers", "ephemeralContainerStatuses", "ephemeral"],
] as const;

export function Containers({ pod }: { readonly pod: Json }) {
  const containers = lists.flatMap(([specs, statuses, role]) =>
    parts(pod, "spec", specs).map((spec): Container => {
      const status = parts(pod, "status", statuses).find((one) => text(one, "name") === text(spec, "name")) ?? {};
      return { role, spec, status };
    }),
  );
  return (
    <section>
      <h2>Containers</h2>
      <ListTable
        label="Containers of the pod"
        items={containers}
        keyOf={({ spec }) => text(spec, "name")}
        columns={[
          {
            name: "Name",
            cell: ({ spec, role }) => (
              <>
                <bdi>{text(spec, "name")}</bdi> <small>{role}</small>
              </>
            ),
          },
          { name: "State", cell: ({ status }) => stateOf(status), classOf: ({ status }) => colourOf(status) },
          { name: "Ready", cell: ({ status }) => (text(status, "ready") === "true" ? "yes" : "no") },
          { name: "Restarts", cell: ({ status }) => text(status, "restartCount") || "0" },
          { name: "Image", cell: ({ spec }) => <bdi>{text(spec, "image")}</bdi> },
        ]}
      />
    </section>
  );
}

/** "running", "waiting: CrashLoopBackOff", "terminated: Error, exit code 1". */
function stateOf(status: Json): string {
  const [[name, details] = ["", {}]] = Object.entries(part(status, "state"));
  const code = text(details, "exitCode");
  return [
    name === "" ? "not started" : name,
    ...(text(details, "reason") === "" ? [] : [`: ${text(details, "reason")}`]),
    ...(code === "" || code === "0" ? [] : [`, exit code ${code}`]),
  ].join("");
}

function colourOf(status: Json): string | undefined {
  if ("running" in part(status, "state")) return "live";
  const code = text(status, "state", "terminated", "exitCode");
  const reason = text(status, "state", "waiting", "reason");
  return (code !== "" && code !== "0") || /BackOff|Err/.test(reason) ? "bad" : undefined;
}
