import { describe, expect, test } from "vitest";
import { inspect } from "../core.suite.ts";
import { cells, container, make, pod } from "../pod.suite.ts";
import { Pod } from "../pod.ts";

describe("the row of a pod", () => {
  const status = (name: string, state: object, rest: object = {}) => ({
    name,
    ready: false,
    restartCount: 1,
    state,
    ...rest,
  });
  const waiting = (reason: string) => ({ waiting: { reason } });
  const terminated = (rest: object) => ({ terminated: { exitCode: 0, ...rest } });
  const running = { running: {} };
  const deletion = { deletionTimestamp: "2021-06-01T00:00:00Z" };
  const init = { initContainers: [{ name: "a" }, { name: "b" }] };
  const rows = [
    { why: "its phase", given: { status: { phase: "Pending" } }, row: ["0/1", "Pending", 0] },
    {
      why: "the reason rather than the phase",
      given: { status: { phase: "Failed", reason: "Evicted" } },
      row: ["0/1", "Evicted", 0],
    },
    {
      why: "the number of ready containers",
      given: { status: { phase: "Running", containerStatuses: [status("c", running, { ready: true })] } },
      row: ["1/1", "Running", 1],
    },
    {
      why: "the reason why a container waits",
      given: { status: { phase: "Pending", containerStatuses: [status("c", waiting("ErrImagePull"))] } },
      row: ["0/1", "ErrImagePull", 1],
    },
    {
      why: "the exit code of a container",
      given: { status: { phase: "Failed", containerStatuses: [status("c", terminated({ exitCode: 3 }))] } },
      row: ["0/1", "ExitCode:3", 1],
    },
    {
      why: "the signal that ended a container",
      given: { status: { phase: "Failed", containerStatuses: [status("c", terminated({ exitCode: 3, signal: 9 }))] } },
      row: ["0/1", "Signal:9", 1],
    },
    {
      why: "NotReady if one of two containers has completed",
      given: {
        status: {
          phase: "Running",
          containerStatuses: [status("c", terminated({ reason: "Completed" })), status("d", running, { ready: true })],
        },
      },
      row: ["1/1", "NotReady", 2],
    },
    {
      why: "the progress of init containers",
      given: {
        spec: { containers: [container], ...init },
        status: { phase: "Pending", initContainerStatuses: [status("a", terminated({})), status("b", running)] },
      },
      row: ["0/1", "Init:1/2", 2],
    },
    {
      why: "only the first unfinished init container",
      given: {
        spec: { containers: [container], ...init },
        status: {
          phase: "Pending",
          initContainerStatuses: [status("a", running), status("b", waiting("PodInitializing"))],
          containerStatuses: [status("c", running, { ready: true })],
        },
      },
      row: ["0/1", "Init:0/2", 1],
    },
    {
      why: "the reason why an init container waits",
      given: {
        spec: { containers: [container], ...init },
        status: { phase: "Pending", initContainerStatuses: [status("a", waiting("CrashLoopBackOff"))] },
      },
      row: ["0/1", "Init:CrashLoopBackOff", 1],
    },
    {
      why: "Terminating for a deleted pod",
      given: { metadata: { name: "x", ...deletion }, status: { phase: "Running" } },
      row: ["0/1", "Terminating", 0],
    },
    {
      why: "Unknown for a deleted pod on a lost node",
      given: { metadata: { name: "x", ...deletion }, status: { reason: "NodeLost" } },
      row: ["0/1", "Unknown", 0],
    },
  ];
  for (const { why, given, row } of rows)
    test(`shows ${why}`, () => expect(cells({ ...pod(), ...given }).slice(1, 4)).toEqual(row));

  test("shows address and node in wide output", () => {
    expect(cells(pod()).slice(5)).toEqual(["<none>", "<none>", "<none>", "<none>"]);
    const full = {
      ...pod({ nodeName: "n", readinessGates: [{ conditionType: "A" }, { conditionType: "B" }] }),
      status: { podIP: "10.0.0.1", nominatedNodeName: "m", conditions: [{ type: "A", status: "True" }] },
    };
    expect(cells(full).slice(5)).toEqual(["10.0.0.1", "n", "m", "1/2"]);
  });

  test("has a condition for a finished pod", () => {
    const { kind } = inspect(Pod);
    const over = (phase: string) =>
      kind.declaration
        .rowConditions?.({ ...make(pod()), status: { phase } }, kind.family.environment)
        .map(({ reason }) => reason);
    expect(["Running", "Succeeded", "Failed"].map(over)).toEqual([[], ["Succeeded"], ["Failed"]]);
  });
});
