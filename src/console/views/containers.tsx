/** The containers of a pod: what they run, and how they are. */

import { type HealthState, wordHealth } from "../../operations/health.ts";
import { type Json, part, parts, text } from "../server/json.ts";
import { ListTable } from "./list-table.tsx";
import { Status } from "./status.tsx";

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
        stacks
        label="Containers of the pod"
        items={containers}
        keyOf={({ spec }) => text(spec, "name")}
        columns={[
          {
            name: "Name",
            cell: ({ spec, role }) => (
              <>
                <bdi>{text(spec, "name")}</bdi> <small>{role}</small>
                <bdi class="below">{text(spec, "image")}</bdi>
              </>
            ),
          },
          {
            name: "State",
            cell: ({ status }) => <Status state={healthOf(status)} word={stateOf(status)} why={lastEnd(status)} />,
          },
          { name: "Ready", cell: ({ status }) => (text(status, "ready") === "true" ? "yes" : "no") },
          { name: "Restarts", cell: ({ status }) => text(status, "restartCount") || "0" },
          { name: "Last run", cell: ({ status }) => <bdi>{lastEnd(status).replace(/^the last run /, "")}</bdi> },
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

function healthOf(status: Json): HealthState {
  if ("running" in part(status, "state")) return text(status, "ready") === "true" ? "healthy" : "progressing";
  const code = text(status, "state", "terminated", "exitCode");
  if (code !== "") return code === "0" ? "healthy" : "failing";
  return wordHealth(text(status, "state", "waiting", "reason")) === "failing" ? "failing" : "progressing";
}

/** How the run before this one ended; "": there was none. */
function lastEnd(status: Json): string {
  const ended = part(status, "lastState", "terminated");
  const [code, reason, message] = [text(ended, "exitCode"), text(ended, "reason"), text(ended, "message")];
  return code === ""
    ? ""
    : `the last run ended with ${code}${reason === "" ? "" : ` (${reason})`}${message === "" ? "" : `: ${message}`}`;
}
