import { describe, expect, test } from "vitest";
import { judge } from "../core.suite.ts";
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
      why: "a reason over its phase",
      given: { status: { phase: "Failed", reason: "Evicted" } },
      row: ["0/1", "Evicted", 0],
    },
    {
      why: "what is ready",
      given: { status: { phase: "Running", containerStatuses: [status("c", running, { ready: true })] } },
      row: ["1/1", "Running", 1],
    },
    {
      why: "what it waits for",
      given: { status: { phase: "Pending", containerStatuses: [status("c", waiting("ErrImagePull"))] } },
      row: ["0/1", "ErrImagePull", 1],
    },
    {
      why: "how it ended",
      given: { status: { phase: "Failed", containerStatuses: [status("c", terminated({ exitCode: 3 }))] } },
      row: ["0/1", "ExitCode:3", 1],
    },
    {
      why: "what ended it",
      given: { status: { phase: "Failed", containerStatuses: [status("c", terminated({ exitCode: 3, signal: 9 }))] } },
      row: ["0/1", "Signal:9", 1],
    },
    {
      why: "that one of two is done",
      given: {
        status: {
          phase: "Running",
          containerStatuses: [status("c", terminated({ reason: "Completed" })), status("d", running, { ready: true })],
        },
      },
      row: ["1/1", "NotReady", 2],
    },
    {
      why: "how far it is before it begins",
      given: {
        spec: { containers: [container], ...init },
        status: { phase: "Pending", initContainerStatuses: [status("a", terminated({})), status("b", running)] },
      },
      row: ["0/1", "Init:1/2", 2],
    },
    {
      why: "nothing of what comes after where it is",
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
      why: "why it does not begin",
      given: {
        spec: { containers: [container], ...init },
        status: { phase: "Pending", initContainerStatuses: [status("a", waiting("CrashLoopBackOff"))] },
      },
      row: ["0/1", "Init:CrashLoopBackOff", 1],
    },
    {
      why: "that it goes",
      given: { metadata: { name: "x", ...deletion }, status: { phase: "Running" } },
      row: ["0/1", "Terminating", 0],
    },
    {
      why: "that is unknown",
      given: { metadata: { name: "x", ...deletion }, status: { reason: "NodeLost" } },
      row: ["0/1", "Unknown", 0],
    },
  ];
  for (const { why, given, row } of rows)
    test(`shows ${why}`, () => expect(cells({ ...pod(), ...given }).slice(1, 4)).toEqual(row));

  test("shows where it is to those who ask for more", () => {
    expect(cells(pod()).slice(5)).toEqual(["<none>", "<none>", "<none>", "<none>"]);
    const full = {
      ...pod({ nodeName: "n", readinessGates: [{ conditionType: "A" }, { conditionType: "B" }] }),
      status: { podIP: "10.0.0.1", nominatedNodeName: "m", conditions: [{ type: "A", status: "True" }] },
    };
    expect(cells(full).slice(5)).toEqual(["10.0.0.1", "n", "m", "1/2"]);
  });

  test("says that it is over", () => {
    const { kind } = judge(Pod);
    const over = (phase: string) =>
      kind.declaration
        .rowConditions?.({ ...make(pod()), status: { phase } }, kind.family.environment)
        .map(({ reason }) => reason);
    expect(["Running", "Succeeded", "Failed"].map(over)).toEqual([[], ["Succeeded"], ["Failed"]]);
  });
});
