/** pods/eviction: deletes a pod, unless a disruption budget does not allow it for now. */

import { Pod } from "../../api/core/v1/pod.ts";
import { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import type { Eviction, DeleteOptions as SentOptions } from "../../api/policy/v1beta1/eviction.ts";
import { inTimeSlices, type Steps } from "../../base/time-slice.ts";
import { copyJson } from "../../machinery/json/json-value.ts";
import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import { type LabelSelector, labelMap, labelSelectorFromObject } from "../../machinery/selectors/label-selector.ts";
import { badRequest, StatusError } from "../../machinery/status/status.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { ActionRequest, CreateAction } from "../../registry/contract/action.ts";
import type { RegistryDeleteOptions } from "../../registry/contract/registry.ts";
import { serverWrites } from "../../registry/contract/server-writes.ts";
import { chargeBudget, stillProcessed } from "./disruption.ts";
import { withDisruptionTarget } from "./disruption-target.ts";
import { success } from "./success.ts";

/** How often the eviction is retried when the pod changes meanwhile. */
const attemptsMax = 20;
/** What a parsed selector is called among the representations of a budget. */
const keptSelector = "selector";
/** How much more memory a parsed selector takes than its text. */
const parsedFactor = 5;

export function createEviction(catalog: Catalog): CreateAction<Eviction> {
  return {
    async create(request) {
      const { ref, body: eviction, context } = request;
      if (eviction.metadata.name !== ref.name)
        throw badRequest("the name of the eviction does not match the name in the URL");
      const sent = eviction.deleteOptions ?? {};
      const dryRun = dryRunOf(sent, context.dryRun);
      for (let attempt = 1; ; attempt += 1) {
        try {
          await evict({ ...request, context: { ...context, dryRun } }, sent, catalog);
          return success();
        } catch (error) {
          const changed = error instanceof ChangedMeanwhile;
          if (!changed) throw error;
          if (attempt >= attemptsMax) throw error.refusal;
        }
      }
    },
  };
}

/** The pod has changed since it was checked. */
class ChangedMeanwhile extends Error {
  readonly refusal: StatusError;
  constructor(refusal: StatusError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

async function evict(request: ActionRequest, sent: SentOptions, catalog: Catalog): Promise<void> {
  const pod = await request.registry.read(catalog.of(Pod), request.ref);
  const pinned = { resourceVersion: pod.metadata.resourceVersion ?? "" };
  const options = deleteOptions(sent);
  const isPinnedBySender = options.preconditions?.resourceVersion !== undefined;

  // A pod that is not running, or is being deleted, is not a disruption.
  if (isNoLoss(pod)) {
    const pinnedOptions = { ...options, preconditions: { ...pinned, ...options.preconditions } };
    return remove(request, pinnedOptions, (refusal) => (isPinnedBySender ? refusal : new ChangedMeanwhile(refusal)));
  }
  const budgets = catalog.of(PodDisruptionBudget);
  const found = await inTimeSlices(budgetsOf(request, budgets, pod));
  if (found.length > 1) {
    throw new StatusError(undefined, "the pod has more than one disruption budget, which evictions do not support");
  }
  const [budget] = found;
  if (budget === undefined) return remove(request, options);
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  const isSpare = currentHealthy >= desiredHealthy && desiredHealthy > 0;
  if (!isReady(pod) && (isSpare || budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow")) {
    // It does not count as healthy, so it may be evicted as long as it stays unhealthy.
    const pinnedOptions = { ...options, preconditions: { ...pinned, ...options.preconditions } };
    const name = budget.metadata.name ?? "";
    return remove(request, pinnedOptions, (refusal) =>
      isPinnedBySender ? refusal : stillProcessed(name, budgets.family.environment),
    );
  }
  await charge(request, budgets, budget);
  await remove(request, options);
}

async function charge(
  request: ActionRequest,
  budgets: BoundKind<PodDisruptionBudget>,
  budget: PodDisruptionBudget,
): Promise<void> {
  const { registry, ref, context } = request;
  const { environment } = budgets.family;
  if (context.dryRun) {
    chargeBudget(budget, ref.name, environment);
    return;
  }
  const change = (current: PodDisruptionBudget | undefined): PodDisruptionBudget => {
    const next = copyJson(current as PodDisruptionBudget); // nothing is created here
    next.status = chargeBudget(next, ref.name, environment);
    return next;
  };
  // A write of the server itself, for any caller.
  const writer = serverWrites("a disruption budget", environment.vocabulary);
  const place = { namespace: ref.namespace, name: budget.metadata.name ?? "" };
  await registry.update(budgets, place, change, writer, { subresource: "status", retry: true });
}

/** Deletes the pod. `refused` makes the error for a pod that has changed since then. */
async function remove(
  request: ActionRequest,
  options: RegistryDeleteOptions,
  refused: (refusal: StatusError) => Error = (refusal) => refusal,
): Promise<void> {
  const { kind, ref, registry, context } = request;
  try {
    const { vocabulary, has } = kind.family.environment;
    const pinned = has("disruptionConditions") && !context.dryRun ? await mark(request, options) : options;
    await registry.delete(kind, ref, pinned, serverWrites("an eviction", vocabulary, context));
  } catch (error) {
    throw error instanceof StatusError && error.reason === "Conflict" ? refused(error) : error;
  }
}

/** Says in the status of the pod why it is deleted, unless the delete will be refused. Returns options for the marked pod. */
async function mark(
  { kind, ref, registry }: ActionRequest,
  options: RegistryDeleteOptions,
): Promise<RegistryDeleteOptions> {
  const { vocabulary, clock } = kind.family.environment;
  const { uid, resourceVersion } = options.preconditions ?? {};
  let isMarked = false;
  const change = (current: Pod | undefined): Pod => {
    const pod = current as Pod; // nothing is created here
    const isMeant = resourceVersion === undefined || resourceVersion === pod.metadata.resourceVersion;
    isMarked = isMeant && (uid === undefined || uid === pod.metadata.uid);
    return isMarked ? withDisruptionTarget(pod, timeText(clock.now())) : pod;
  };
  const writer = serverWrites("the mark of an eviction", vocabulary);
  // The action is one of pods.
  const pods = kind as BoundKind<Pod>;
  const { entry } = await registry.update(pods, ref, change, writer, { subresource: "status", retry: true });
  if (!isMarked || resourceVersion === undefined) return options;
  return { ...options, preconditions: { ...options.preconditions, resourceVersion: String(entry.revision) } };
}

/** Counted by the cache of representations (`formsBytesMax`). */
interface KeptSelector extends Pick<LabelSelector, "matches"> {
  readonly byteLength: number;
}

/** A selector is parsed once for each state of its budget, and kept with the entry. */
function* budgetsOf(
  { registry, ref }: ActionRequest,
  budgets: BoundKind<PodDisruptionBudget>,
  pod: Pod,
): Steps<PodDisruptionBudget[]> {
  const labels = labelMap(pod.metadata.labels);
  const found: PodDisruptionBudget[] = [];
  if (labels.size === 0) return found;
  for (const entry of registry.peekAll(budgets, ref.namespace)) {
    yield;
    let selector = entry.remembered<KeptSelector>(keptSelector);
    if (selector === undefined) {
      const { spec } = yield* entry.load();
      selector = entry.representation(keptSelector, ({ length }) => ({
        matches: labelSelectorFromObject(spec?.selector).matches,
        byteLength: length * parsedFactor,
      }));
    }
    if (selector.matches(labels)) found.push(yield* entry.load());
  }
  return found;
}

function isNoLoss({ metadata, status }: Pod): boolean {
  return Boolean(metadata.deletionTimestamp) || ["Pending", "Succeeded", "Failed"].includes(status?.phase ?? "");
}

const isReady = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === "Ready" && condition.status === "True");

/** The request and its body must not contradict each other. */
function dryRunOf({ dryRun = [] }: SentOptions, asked: boolean): boolean {
  if (asked && dryRun.length > 0 && dryRun.some((part) => part !== "All")) {
    throw badRequest("the dry-run options of the request and of its body are not the same");
  }
  return asked || dryRun.length > 0;
}

/** Checked where the pod is deleted. */
function deleteOptions(sent: SentOptions): RegistryDeleteOptions {
  const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun } = sent;
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === undefined ? {} : { dryRun }),
  };
}
