/** horizontalpodautoscaling: the number of replicas of a target follows its metrics. */

import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2beta2/horizontal-pod-autoscaler.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import type { ResourceAddress } from "../../client/contract.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { sameValue } from "../../machinery/schema/same-value.ts";
import { parseLabelSelector } from "../../machinery/selectors/label-selector.ts";
import type { Controller, ControllerContext } from "../contract.ts";
import { createScaleClient, type Scale } from "../parts/scale/scale-client.ts";
import type { PlannedEvent } from "../plan.ts";
import { messageOf } from "../plan.ts";
import type { ConditionFacts } from "./conditions.ts";
import { createMeasure, type MeasureInput } from "./measure.ts";
import { createMetricsApi } from "./metrics-api.ts";
import { type Memory, newMemory, noteChange } from "./pace.ts";
import { asksMetrics, autoscalerStatus, decide, type Reading, type StatusInput } from "./reconcile.ts";

/** v1.21 has one worker. */
const workers = 1;

export const horizontalPodAutoscalingController: Controller = {
  name: "horizontalpodautoscaling",
  account: "horizontal-pod-autoscaler",
  start: startAutoscaling,
};

function startAutoscaling(context: ControllerContext) {
  const { client, informers, clock, log, settings } = context;
  const autoscalers = informers.of(HorizontalPodAutoscaler);
  const pods = informers.of(Pod);
  const recorder = context.recorder("horizontal-pod-autoscaler");
  const scales = createScaleClient(client);
  const measure = createMeasure(createMetricsApi(client), scales);
  const memories = new Map<string, Memory>();
  const periodMs = settings.horizontalPodAutoscalerSyncPeriodMs;

  const queue = context.queue({
    workers,
    after: [autoscalers, pods],
    async sync(key) {
      const autoscaler = autoscalers.get(key);
      if (autoscaler === undefined) {
        memories.delete(key);
        return;
      }
      try {
        await scaleOnce(key, autoscaler);
      } catch (error) {
        // Metrics and targets change; the next round is soon.
        log.debug("an autoscaler could not act", { object: key, error: messageOf(error) });
      }
      queue.addAfter(key, periodMs);
    },
  });

  async function scaleOnce(key: string, autoscaler: HorizontalPodAutoscaler): Promise<void> {
    const found = await findTarget(autoscaler);
    const current = found.scale.spec?.replicas ?? 0;
    const memory = memories.get(key) ?? firstMemory(current);
    memories.set(key, memory);
    const conditions: ConditionFacts[] = [
      {
        type: "AbleToScale",
        status: "True",
        reason: "SucceededGetScale",
        message: "the HPA controller was able to get the target's current scale",
      },
    ];
    const readings = asksMetrics(autoscaler, current) ? await readMetrics(autoscaler, found.scale, conditions) : [];
    const nowMs = clock.now();
    const decision = decide({
      autoscaler,
      current,
      readings,
      memory,
      downscaleStabilizationMs: settings.horizontalPodAutoscalerDownscaleStabilizationMs,
      nowMs,
    });
    for (const event of decision.events) record(autoscaler, event);
    const all = [...conditions, ...decision.conditions];
    const before = { current, readings, conditions: all, isRescaled: false, nowMs };
    if (decision.replicas === undefined) {
      const desired = autoscaler.status?.desiredReplicas ?? 0;
      return await write(autoscaler, { ...before, desired });
    }
    if (decision.replicas === current) return await write(autoscaler, { ...before, desired: current });
    const facts = await rescale(autoscaler, found, decision.replicas, decision.reason);
    const isRescaled = facts.status === "True";
    if (isRescaled && autoscaler.spec?.behavior !== undefined) noteChange(memory, current, decision.replicas, nowMs);
    const desired = isRescaled ? decision.replicas : (autoscaler.status?.desiredReplicas ?? 0);
    await write(autoscaler, { ...before, desired, conditions: [...all, facts], isRescaled });
  }

  interface Target {
    readonly address: ResourceAddress;
    readonly scale: Scale;
  }

  async function findTarget(autoscaler: HorizontalPodAutoscaler): Promise<Target> {
    const { scaleTargetRef: target = { kind: "", name: "" } } = autoscaler.spec ?? {};
    try {
      const address = await scales.addressOf(target);
      if (address === undefined)
        throw new Error(`no matches for kind "${target.kind}" in version "${target.apiVersion}"`);
      const { namespace } = autoscaler.metadata;
      return { address, scale: await scales.get(address, { namespace, name: target.name }) };
    } catch (error) {
      record(autoscaler, { type: "Warning", reason: "FailedGetScale", message: messageOf(error) });
      const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`;
      const facts: ConditionFacts = { type: "AbleToScale", status: "False", reason: "FailedGetScale", message };
      const { currentReplicas: current = 0, desiredReplicas: desired = 0 } = autoscaler.status ?? {};
      await write(autoscaler, {
        current,
        desired,
        readings: [],
        conditions: [facts],
        isRescaled: false,
        nowMs: clock.now(),
      });
      throw error;
    }
  }

  async function readMetrics(
    autoscaler: HorizontalPodAutoscaler,
    scale: Scale,
    conditions: ConditionFacts[],
  ): Promise<readonly Reading[]> {
    const { selector = "", replicas: statusReplicas = 0 } = scale.status ?? {};
    const metrics = autoscaler.spec?.metrics ?? [];
    if (selector === "") {
      record(autoscaler, { type: "Warning", reason: "SelectorRequired", message: "selector is required" });
      const message = "the HPA target's scale is missing a selector";
      conditions.push({ type: "ScalingActive", status: "False", reason: "InvalidSelector", message });
      return metrics.map((metric) => ({ metric, failure: "selector is required" }));
    }
    const { namespace = "" } = autoscaler.metadata;
    const input: MeasureInput = {
      namespace,
      selector,
      pods: pods.select(namespace, parseLabelSelector(selector)),
      currentReplicas: scale.spec?.replicas ?? 0,
      statusReplicas,
      settings: {
        tolerance: settings.horizontalPodAutoscalerTolerance,
        cpuInitializationPeriodMs: settings.horizontalPodAutoscalerCpuInitializationPeriodMs,
        initialReadinessDelayMs: settings.horizontalPodAutoscalerInitialReadinessDelayMs,
        nowMs: clock.now(),
      },
    };
    const readings: Reading[] = [];
    for (const metric of metrics) {
      try {
        readings.push({ metric, measured: await measure(metric, input) });
      } catch (error) {
        readings.push({ metric, failure: messageOf(error) });
      }
    }
    return readings;
  }

  /** The result, as a condition. */
  async function rescale(
    autoscaler: HorizontalPodAutoscaler,
    { address, scale }: Target,
    replicas: number,
    reason: string,
  ): Promise<ConditionFacts> {
    const ref = { namespace: autoscaler.metadata.namespace, name: scale.metadata.name ?? "" };
    const size = `New size: ${replicas}; reason: ${reason}`;
    try {
      await scales.update(address, ref, { ...scale, spec: { ...scale.spec, replicas } });
    } catch (error) {
      record(autoscaler, { type: "Warning", reason: "FailedRescale", message: `${size}; error: ${messageOf(error)}` });
      const message = `the HPA controller was unable to update the target scale: ${messageOf(error)}`;
      return { type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message };
    }
    record(autoscaler, { type: "Normal", reason: "SuccessfulRescale", message: size });
    const message = `the HPA controller was able to update the target scale to ${replicas}`;
    return { type: "AbleToScale", status: "True", reason: "SucceededRescale", message };
  }

  /** The present number counts as a recommendation: a new autoscaler does not scale down at once. */
  function firstMemory(current: number): Memory {
    const memory = newMemory();
    memory.recommendations.push({ replicas: current, atMs: clock.now() });
    return memory;
  }

  function record(autoscaler: HorizontalPodAutoscaler, { type, reason, message }: PlannedEvent): void {
    recorder.event(autoscaler, type, reason, message);
  }

  async function write(autoscaler: HorizontalPodAutoscaler, input: StatusInput): Promise<void> {
    const status = autoscalerStatus(autoscaler, input);
    if (!sameValue(autoscaler.status, status)) {
      await client.of(HorizontalPodAutoscaler).updateStatus({ ...autoscaler, status });
    }
  }

  autoscalers.on({
    add: (autoscaler) => queue.add(keyOf(autoscaler)),
    update(autoscaler, old) {
      // Changes of the status are its own.
      if (!sameValue(autoscaler.spec, old.spec)) queue.add(keyOf(autoscaler));
    },
    delete: (autoscaler) => queue.add(keyOf(autoscaler)),
  });
  return queue;
}
