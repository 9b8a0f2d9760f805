/** Gets of one object by somebody whom roles allow it, among thousands of bindings, beside a server that allows everything. */

import { prepareRequest } from "../connection.ts";
import { fetchOnce, load } from "../load.ts";
import { benchPod } from "../pod.ts";
import { median, perSecond, type Row, withCpu } from "../report.ts";
import { startOrch, type Target } from "../target.ts";

const connections = 32;
/** A tenth more at most. */
const leastRatio = 1 / 1.1;
const namespace = "default";
const podPath = `/api/v1/namespaces/${namespace}/pods`;
const rbacPath = `/apis/rbac.authorization.orch.io/v1/namespaces/${namespace}`;
/** Jane's own bindings; only the last of them grants what she asks for. */
const ownBindings = 20;

export async function measureAccess(quick: boolean): Promise<Row[]> {
  const bindings = quick ? 500 : 5_000;
  const roles = await startOrch("memory", "RBAC");
  const open = await startOrch("memory", "AlwaysAllow");
  try {
    // Both hold the same objects, so that they differ in nothing but who is asked.
    for (const target of [roles, open]) {
      await post(target, podPath, benchPod("one", 0));
      await fill(target, bindings);
    }
    const rounds: Round[] = [];
    // Many short rounds in turns, each compared with its neighbour: what else the machine does falls on both.
    for (let round = 0; round < (quick ? 3 : 15); round++) {
      const isFirst = round % 2 === 0;
      const before = isFirst ? await once(open) : undefined;
      const own = await once(roles);
      rounds.push({ own, beside: before ?? (await once(open)) });
    }
    const ratio = median(rounds.map(({ own, beside }) => beside.cost / own.cost));
    const shown = (side: "own" | "beside") =>
      withCpu(
        perSecond(median(rounds.map((round) => round[side].rate))),
        median(rounds.map((round) => round[side].cost)),
      );
    return [
      {
        what: `get one pod under RBAC with ${bindings} bindings`,
        measured: shown("own"),
        beside: shown("beside"),
        ratio,
        budget: `>= ${leastRatio.toFixed(2)} of AlwaysAllow`,
        met: ratio >= leastRatio,
      },
    ];
  } finally {
    await roles.close();
    await open.close();
  }
}

interface Side {
  readonly rate: number;
  /** CPU time of one request where it is known, else the time it takes. */
  readonly cost: number;
}
interface Round {
  readonly own: Side;
  readonly beside: Side;
}

async function once(target: Target): Promise<Side> {
  const request = prepareRequest("GET", `${podPath}/one`, { authorization: "Bearer jane" });
  const done = await load(target, { connections, seconds: 1, statuses: [200], request: () => request });
  return { rate: done.perSecond, cost: done.cpuMicros ?? 1e6 / done.perSecond };
}

async function fill(target: Target, bindings: number): Promise<void> {
  const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get", "list", "watch"] });
  await post(target, `${rbacPath}/roles`, { metadata: { name: "pods" }, rules: [rule("pods")] });
  await post(target, `${rbacPath}/roles`, { metadata: { name: "others" }, rules: [rule("secrets"), rule("services")] });
  const binding = (index: number) => {
    const isOwn = index >= bindings - ownBindings;
    const apiGroup = "rbac.authorization.orch.io";
    return {
      metadata: { name: `binding-${index}` },
      roleRef: { apiGroup, kind: "Role", name: index === bindings - 1 ? "pods" : "others" },
      subjects: [{ apiGroup, kind: "User", name: isOwn ? "jane" : `user-${index}` }],
    };
  };
  await load(target, {
    connections,
    seconds: 600,
    operations: bindings,
    statuses: [201],
    request: (index) =>
      prepareRequest("POST", `${rbacPath}/rolebindings`, target.headers, JSON.stringify(binding(index))),
  });
}

async function post(target: Target, path: string, body: object): Promise<void> {
  const { status } = await fetchOnce(target, prepareRequest("POST", path, target.headers, JSON.stringify(body)));
  if (status !== 201) throw new Error(`the server answered ${status} to POST ${path}`);
}
