/** The parameters of a policy for one request, as its binding names them. */

import { run, TimeSlice } from "../../base/time-slice.ts";
import type { Bindings } from "../../cel/contract.ts";
import { jsonValue } from "../../cel/values/json.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { AdmissionRequest } from "../../registry/contract/admission.ts";
import { type AdmissionContext, lookUp } from "../context.ts";
import type { CompiledBinding, CompiledPolicy } from "./compiled-policy.ts";

/** The policy or the binding cannot be applied as it is written. */
export class PolicyProblem extends Error {}

/** One parameter. It is read when a policy is evaluated with it: all of them together may be more than the memory holds. */
export interface Param {
  readonly namespace: string;
  readonly name: string;
  read(): ApiObject | Promise<ApiObject>;
}

/** What expressions see of a parameter; undefined: the binding names none. */
export async function paramBindings({ paramKind }: CompiledPolicy, param: Param | undefined): Promise<Bindings> {
  return paramKind === undefined ? {} : { params: jsonValue((await param?.read()) ?? null) };
}

/** One for each evaluation; undefined stands for none. */
export async function paramsOf(
  context: AdmissionContext,
  { paramKind }: CompiledPolicy,
  { paramRef, paramSelector }: CompiledBinding,
  request: AdmissionRequest,
): Promise<readonly (Param | undefined)[]> {
  if (paramKind === undefined || paramRef === undefined) return [undefined];
  const kind = paramKindOf(context, paramKind);
  if (kind === undefined)
    throw new PolicyProblem(
      `failed to find resource referenced by paramKind: '${paramKind.apiVersion}, Kind=${paramKind.kind}'`,
    );
  if (!kind.namespaced && paramRef.namespace)
    throw new PolicyProblem("paramRef.namespace must not be provided for a cluster-scoped paramKind");
  const namespace = kind.namespaced ? paramRef.namespace || request.namespace : "";
  if (kind.namespaced && namespace === "")
    throw new PolicyProblem("can't use namespaced paramRef to match cluster-scoped resources");
  const found: Param[] = [];
  if (paramSelector !== undefined) {
    const slice = new TimeSlice();
    for (const entry of context.registry.peekAll(kind, kind.namespaced ? namespace : undefined)) {
      if (slice.isOver) await slice.next();
      if (!paramSelector.matches(entry.labels)) continue;
      found.push({ namespace: entry.namespace, name: entry.name, read: () => run(entry.load(), new TimeSlice()) });
    }
  } else {
    const name = paramRef.name ?? "";
    const one = await lookUp(context, kind, { namespace, name }, request);
    if (one !== undefined) found.push({ namespace, name, read: () => one });
  }
  if (found.length > 0) return found;
  if (paramRef.parameterNotFoundAction === "Allow") return [];
  throw new PolicyProblem("no params found for policy binding with `Deny` parameterNotFoundAction");
}

/** Custom kinds are read as they are stored: converting them may take time. */
export function paramKindOf(
  { catalog }: AdmissionContext,
  { apiVersion, kind }: NonNullable<CompiledPolicy["paramKind"]>,
) {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const found = catalog.byKind(group, apiVersion.slice(slash + 1), kind);
  return found?.declaration.origin === "builtin" ? found : found?.family.stored;
}
