/** FaultPlan objects of the group testing.orch.io: faults that are planned over the API, with their hits in the status. */

import { patchMediaTypes } from "../../machinery/patch/media-types.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import type { Registry } from "../../registry/contract/registry.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { findServedKind, load } from "../load/load.ts";
import type { Fault, Faults, PlannedFault } from "./contract.ts";
import { planApiVersion as apiVersion, planDefinition, planDefinitionName } from "./plan-definition.ts";

const path = `/apis/${apiVersion}/faultplans`;
/** How often hits are written to the status, in real time. */
const statusMs = 200;

export interface PlanParts {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly vocabulary: Vocabulary;
  readonly faults: Faults;
  /** As a user whose requests no fault hits. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Called with what prevents the plans from being followed. */
  onError(error: unknown): void;
}

export interface FollowedPlans {
  close(): void;
}

interface FaultPlan {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly spec: Fault;
  readonly status?: PlanStatus;
}

interface PlanStatus {
  readonly active: boolean;
  readonly hits: number;
  /** Why the plan is not active; "" otherwise. */
  readonly message: string;
}

interface Followed {
  readonly generation: number;
  readonly planned: PlannedFault | undefined;
  readonly problem: string;
  shown: string;
}

/** Resolves when the kind is served and the plans that exist are active. */
export async function followFaultPlans(parts: PlanParts): Promise<FollowedPlans> {
  const { registry, catalog, vocabulary, faults, fetch, onError } = parts;
  const definitions = `/apis/${vocabulary.word("apiextensions.orch.io")}/v1/customresourcedefinitions`;
  const isNew = (await fetch(`${definitions}/${planDefinitionName}`)).status === 404;
  await load({ catalog, fetch, pause: async () => {} }, [planDefinition(vocabulary)]);
  // A server that does not serve the plans cannot delete them with their definition: a later start does it.
  if (isNew) await (await fetch(path, { method: "DELETE" })).text();
  const kind = findServedKind(catalog, { apiVersion, kind: "FaultPlan" });
  if (kind === undefined) throw new Error(`${apiVersion} is not served`); // load has waited for it
  const followed = new Map<string, Followed>();

  const begin = ({ metadata, spec }: FaultPlan): Followed => {
    try {
      return { generation: metadata.generation, planned: faults.add(spec), problem: "", shown: "" };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return { generation: metadata.generation, planned: undefined, problem, shown: "" };
    }
  };
  const follow = async (): Promise<void> => {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
    const { items } = (await answer.json()) as { items: FaultPlan[] }; // the schema has checked them
    const present = new Map(items.map((plan) => [`${plan.metadata.name} ${plan.metadata.uid}`, plan]));
    for (const [key, { planned, generation }] of followed) {
      if (present.get(key)?.metadata.generation === generation) continue;
      planned?.remove();
      followed.delete(key);
    }
    for (const [key, plan] of present) if (!followed.has(key)) followed.set(key, begin(plan));
  };
  const showHits = async (): Promise<void> => {
    for (const [key, one] of followed) {
      const status: PlanStatus = {
        active: one.planned !== undefined,
        hits: one.planned?.hits ?? 0,
        message: one.problem,
      };
      const text = JSON.stringify({ status });
      if (text === one.shown) continue;
      one.shown = text;
      const name = key.split(" ")[0] ?? "";
      const headers = { "content-type": patchMediaTypes.merge };
      await (await fetch(`${path}/${name}/status`, { method: "PATCH", headers, body: text })).text(); // a deleted plan has none
    }
  };

  let last = Promise.resolve();
  const next = (work: () => Promise<void>) => {
    last = last.then(work).catch(onError);
    return last;
  };
  const stop = registry.observe(kind, () => void next(follow));
  const timer = setInterval(() => void next(showHits), statusMs);
  timer.unref();
  await next(follow);
  return {
    close() {
      stop();
      clearInterval(timer);
    },
  };
}
