import { describe, expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod.ts";
import { goldenLevels } from "../../machinery/schema/levels.ts";
import { openSimulated, phaseText } from "../simulated-server.suite.ts";
import { type SimulationStage, SimulationStages, stageDelayMsMin, stagesMax } from "./stages.ts";

const stageOf = (name: string, spec: SimulationStage["spec"]): SimulationStage => ({ metadata: { name }, spec });
const podOf = (uid: string, labels: Record<string, string> = {}, annotations: Record<string, string> = {}): Pod => ({
  metadata: { name: uid, uid, namespace: "shop", labels, annotations },
});

describe("stages", () => {
  test("select pods by namespace and labels, all of them without a selector", () => {
    const stages = new SimulationStages();
    const next = { ready: false };
    stages.set(stageOf("all", { from: "Ready", next }));
    stages.set(stageOf("web", { selector: { matchLabels: { app: "web" } }, from: "Ready", next }));
    stages.set(stageOf("other", { selector: { namespaces: ["other"] }, from: "Ready", next }));
    const names = (pod: Pod) => stages.of(pod).map(({ name }) => name);
    expect([names(podOf("a")), names(podOf("b", { app: "web" }))]).toEqual([["all"], ["all", "web"]]);
    stages.delete("all");
    expect(names(podOf("a"))).toEqual([]);
  });

  test("delay each pod by its own part of the jitter, always the same", () => {
    const stages = new SimulationStages();
    stages.set(stageOf("s", { from: "Pending", delay: { duration: "5s", jitter: "10s" }, next: { phase: "Running" } }));
    const delays = Array.from({ length: 50 }, (_, at) => stages.of(podOf(`u${at}`))[0]?.delayMs ?? 0);
    expect(delays.every((ms) => ms >= 5_000 && ms <= 15_000)).toBe(true);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(5_000);
    expect(stages.of(podOf("u7"))[0]?.delayMs).toBe(delays[7]);
  });

  test("that could come again and again are never immediate", () => {
    const stages = new SimulationStages();
    stages.set(stageOf("s", { from: "Ready", next: { ready: false } }));
    expect(stages.of(podOf("a"))[0]?.delayMs).toBe(stageDelayMsMin);
  });

  test("count up to their limit, by name", () => {
    const stages = new SimulationStages();
    for (let at = stagesMax; at >= 0; at--)
      stages.set(stageOf(`s${String(at).padStart(5, "0")}`, { from: "Ready", next: { ready: false } }));
    expect([stages.of(podOf("a")).length, stages.of(podOf("a")).at(-1)?.name]).toEqual([stagesMax, "s00999"]);
  });

  test("declare what annotations declare, and those of the pod count first", () => {
    const stages = new SimulationStages();
    stages.set(
      stageOf("s", {
        behaviour: { runFor: "5s", neverReady: true },
        commands: { uptime: "up\n" },
        logs: { text: "hello", every: "1s" },
        usage: { cpu: "80%" },
        terminationMessages: { main: "done" },
      }),
    );
    const own = { "simulation.orch.io/logs": "mine" };
    expect(stages.declared(podOf("a", {}, own)).metadata.annotations).toEqual({
      "simulation.orch.io/run-for": "5s",
      "simulation.orch.io/never-ready": "true",
      "simulation.orch.io/exec": '{"uptime":"up\\n"}',
      "simulation.orch.io/logs": "mine",
      "simulation.orch.io/log-every": "1s",
      "simulation.orch.io/cpu-usage": "80%",
      "simulation.orch.io/termination-message.main": "done",
    });
  });
});

describe("Stage objects", () => {
  const path = "/apis/simulation.orch.io/v1alpha1/stages";
  const type = { apiVersion: "simulation.orch.io/v1alpha1", kind: "Stage" };
  const web = { matchLabels: { app: "web" } };

  for (const emulatedVersion of goldenLevels)
    for (const vocabulary of ["orch", "kubernetes"] as const)
      test(`lead the pods that they select, also those that run already, in the vocabulary ${vocabulary} of level ${emulatedVersion}`, async () => {
        await using simulated = await openSimulated({ nodes: 1, vocabulary, emulatedVersion });
        const { send, createPod, pod, advance, server } = simulated;
        const stage = (name: string, spec: object) => send("POST", path, { ...type, metadata: { name }, spec });
        await stage("slow", { selector: web, from: "Pending", delay: { duration: "30s" }, next: { phase: "Running" } });
        await createPod("web", { labels: { app: "web" } });
        await createPod("other");
        await advance("29s");
        expect([phaseText(await pod("web")), phaseText(await pod("other"))]).toEqual(["Pending", "Running*"]);
        await advance("2s");
        expect(phaseText(await pod("web"))).toBe("Running*");
        await stage("flap", { selector: web, from: "Ready", delay: { duration: "10s" }, next: { ready: false } });
        await advance("11s");
        expect([phaseText(await pod("web")), phaseText(await pod("other"))]).toEqual(["Running", "Running*"]);
        await send("DELETE", `${path}/flap`);
        await stage("mend", { selector: web, from: "NotReady", delay: { duration: "1s" }, next: { ready: true } });
        await stage("said", { selector: web, logs: { text: "from the stage" } });
        await advance("12s");
        expect(phaseText(await pod("web"))).toBe("Running*");
        const log = await server.fetch("/api/v1/namespaces/default/pods/web/log");
        expect(await log.text()).toBe("from the stage\n");
      });

  test("are refused with the field that is wrong", async () => {
    await using simulated = await openSimulated({ nodes: 1 });
    const refused = async (spec: object) =>
      await simulated
        .send("POST", path, { ...type, metadata: { name: "s" }, spec })
        .catch((error: Error) => error.message);
    expect(await refused({ from: "Elsewhere" })).toContain("spec.from");
    expect(await refused({ from: "Ready", delay: { duration: "soon" } })).toContain("spec.delay.duration");
    expect(await refused({ from: "Ready", next: { exitCode: 256 } })).toContain("spec.next.exitCode");
    expect(await refused({ behaviour: { neverReady: "yes" } })).toContain("spec.behaviour.neverReady");
  });
});
