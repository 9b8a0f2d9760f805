import { describe, expect, test, vi } from "vitest";
import type { Node } from "../api/core/v1/node.ts";
import type { PodSpec } from "../api/core/v1/pod/spec.ts";
import type { Pod } from "../api/core/v1/pod.ts";
import { seededRandom } from "../base/seeded-random.ts";
import { orch } from "../vocabulary/orch.ts";
import { Cluster } from "./cluster.ts";
import { filtersOf } from "./filters/list.ts";
import { shortagesToldMax } from "./filters/resources.ts";
import { knownPod } from "./known-pod.ts";
import { candidatesMin } from "./preempt.ts";
import { feasibleNodesMin, feasibleNodesWanted, schedule } from "./schedule.ts";

const chance = seededRandom(1);

type NodeParts = { labels?: Record<string, string>; cpu?: string; spec?: Node["spec"]; pods?: string };
type Spec = Partial<PodSpec> & { cpu?: string; labels?: Record<string, string>; port?: number };

function node(name: string, { labels = {}, cpu = "4", spec = {}, pods = "110" }: NodeParts = {}): Node {
  return {
    metadata: { name, labels: { host: name, ...labels } },
    spec,
    status: { allocatable: { cpu, memory: "8Gi", pods } },
  };
}

function pod(name: string, { cpu = "100m", labels = {}, port, ...spec }: Spec = {}): Pod {
  const container = {
    name: "c",
    image: "i",
    resources: { requests: { cpu } },
    ...(port === undefined ? {} : { ports: [{ containerPort: port, hostPort: port }] }),
  };
  return { metadata: { name, namespace: "ns", labels }, spec: { containers: [container], ...spec } as PodSpec };
}

function clusterOf(nodes: readonly Node[], placed: readonly [Pod, string][] = []): Cluster {
  const cluster = new Cluster();
  for (const each of nodes) cluster.setNode(each);
  for (const [each, on] of placed) cluster.setPod(knownPod(each), on);
  return cluster;
}

const options = {
  filters: filtersOf(orch, true),
  facts: { volumes: [] },
  random: (below: number) => Math.floor(chance() * below),
  isProtected: () => false,
};

/** The decision, and how many comparisons it took. */
function decided(steps: ReturnType<typeof schedule>) {
  let comparisons = 0;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { decision: step.value, comparisons };
    comparisons += step.value;
  }
}

function decide(cluster: Cluster, wanted: Pod, isProtected: (name: string) => boolean = () => false) {
  return decided(
    schedule(knownPod(wanted), cluster, {
      ...options,
      isProtected: ({ pod: { metadata } }) => isProtected(metadata.name ?? ""),
    }),
  ).decision;
}

const restartsAll = "RestartAllContainersOnContainerExits";
const term = (app: string, topologyKey = "zone") => ({ labelSelector: { matchLabels: { app } }, topologyKey });
const zones = [node("a", { labels: { zone: "1" } }), node("b", { labels: { zone: "2" } })];

describe("a pod goes to a node that has", () => {
  const rows: { why: string; nodes: readonly Node[]; placed?: [Pod, string][]; wanted: Pod; gets: string }[] = [
    { why: "enough left", nodes: [node("a", { cpu: "1" }), node("b")], wanted: pod("p", { cpu: "2" }), gets: "b" },
    {
      why: "the labels of its selector",
      nodes: [node("a"), node("b", { labels: { disk: "ssd" } })],
      wanted: pod("p", { nodeSelector: { disk: "ssd" } }),
      gets: "b",
    },
    {
      why: "no taint that it does not tolerate",
      nodes: [node("a", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } }), node("b")],
      wanted: pod("p"),
      gets: "b",
    },
    {
      why: "its host port free",
      nodes: [node("a"), node("b")],
      placed: [[pod("q", { port: 80 }), "a"]],
      wanted: pod("p", { port: 80 }),
      gets: "b",
    },
    {
      why: "the features of the agent that it needs",
      nodes: [node("a"), { ...node("b"), status: { ...node("b").status, declaredFeatures: [restartsAll] } }],
      wanted: {
        metadata: { name: "p", namespace: "ns" },
        spec: {
          containers: [{ name: "c", image: "i", restartPolicyRules: [{ action: "RestartAllContainers" }] }],
        } as PodSpec,
      },
      gets: "b",
    },
    {
      why: "the pods that it wants to be near",
      nodes: zones,
      placed: [[pod("q", { labels: { app: "db" } }), "b"]],
      wanted: pod("p", { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("db")] } } }),
      gets: "b",
    },
    {
      why: "none of the pods that it avoids",
      nodes: zones,
      placed: [[pod("q", { labels: { app: "web" } }), "a"]],
      wanted: pod("p", {
        labels: { app: "web" },
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("web")] } },
      }),
      gets: "b",
    },
    {
      why: "no pod that avoids it",
      nodes: zones,
      placed: [
        [
          pod("q", {
            affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("web")] } },
          }),
          "a",
        ],
      ],
      wanted: pod("p", { labels: { app: "web" } }),
      gets: "b",
    },
    {
      why: "fewer pods of its spread constraint",
      nodes: zones,
      placed: [[pod("q", { labels: { app: "web" } }), "a"]],
      wanted: pod("p", {
        labels: { app: "web" },
        topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", ...term("web") }],
      }),
      gets: "b",
    },
    {
      why: "more left, if all fit",
      nodes: [node("a"), node("b")],
      placed: [[pod("q", { cpu: "3" }), "a"]],
      wanted: pod("p"),
      gets: "b",
    },
  ];
  for (const { why, nodes, placed, wanted, gets } of rows)
    test(why, () => expect(decide(clusterOf(nodes, placed), wanted)).toMatchObject({ at: "found", node: gets }));
});

describe("a pod that fits nowhere", () => {
  test("is told how many nodes object to what", () => {
    const nodes = [
      node("a", { cpu: "1" }),
      node("b", { spec: { unschedulable: true } }),
      node("c", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } }),
    ];
    expect(decide(clusterOf(nodes), pod("p", { cpu: "2" }))).toMatchObject({
      at: "none",
      message:
        "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had taint {k: v}, that the pod didn't tolerate, 1 node(s) were unschedulable.",
    });
    expect(decide(clusterOf([]), pod("p"))).toMatchObject({ message: "no nodes available to schedule pods" });
  });

  test("preempts as few and as unimportant pods as possible, and no protected ones if others do", () => {
    const cluster = clusterOf(
      [node("a", { cpu: "2" }), node("b", { cpu: "2" }), node("c", { cpu: "2" })],
      [
        [pod("two", { cpu: "2", priority: 2 }), "a"],
        [pod("guarded", { cpu: "2", priority: 1 }), "b"],
        [pod("one", { cpu: "1", priority: 1 }), "c"],
        [pod("none", { cpu: "1", priority: 0 }), "c"],
      ],
    );
    const before = [...cluster.nodes].map(({ used }) => used.cpu);
    const decision = decide(cluster, pod("p", { cpu: "1", priority: 9 }), (name) => name === "guarded");
    expect(decision).toMatchObject({ at: "none", preemption: { node: "c" } });
    const victims = decision.at === "none" ? decision.preemption?.victims.map(({ key }) => key) : [];
    expect(victims).toEqual(["ns/none"]);
    expect([...cluster.nodes].map(({ used }) => used.cpu)).toEqual(before);
    expect(decide(cluster, pod("p", { cpu: "1", priority: 9, preemptionPolicy: "Never" }))).toMatchObject({
      preemption: undefined,
    });
  });
});

describe("in a large cluster", () => {
  const nodes = Array.from({ length: 2 * feasibleNodesMin }, (_, at) => node(`n${at}`));

  test("a part of the nodes that fit is enough, as in v1.21", () => {
    const counts = [0, 1, 100, 101, 150, 1_000, 5_000, 10_000].map((count) => [count, feasibleNodesWanted(count)]);
    expect(counts).toEqual([
      [0, 0],
      [1, 1],
      [100, 100],
      [101, 100],
      [150, 100],
      [1_000, 420],
      [5_000, 500],
      [10_000, 500],
    ]);
  });

  test("the look at the nodes begins where it is told to, and looks no further than it must", () => {
    const { decision } = decided(
      schedule(knownPod(pod("p")), clusterOf(nodes), { ...options, startAt: 150, random: () => 0 }),
    );
    expect(decision).toEqual({ at: "found", node: "n150", checked: feasibleNodesMin });
  });

  test("the only node that fits is found wherever it is", () => {
    const cluster = clusterOf([...nodes, node("special", { labels: { disk: "ssd" } })]);
    const wanted = knownPod(pod("p", { nodeSelector: { disk: "ssd" } }));
    expect(decided(schedule(wanted, cluster, { ...options, startAt: 1 })).decision).toMatchObject({
      at: "found",
      node: "special",
    });
  });
});

test("a tenth of the nodes is compared where others could make room, and more only to violate no budget", () => {
  const nodes = Array.from({ length: 3 * candidatesMin }, (_, at) => node(`n${at}`, { cpu: "1" }));
  const placed = nodes.map(({ metadata }, at): [Pod, string] => {
    return [pod(`p${at}`, { cpu: "1", priority: at < 2 * candidatesMin ? 5 : 1 }), metadata.name ?? ""];
  });
  const wanted = pod("p", { cpu: "1", priority: 9 });
  const [cluster, last] = [clusterOf(nodes, placed), 3 * candidatesMin - 1];
  const lift = vi.spyOn(cluster, "lift");
  const compared = (isProtected: (name: string) => boolean) => {
    lift.mockClear();
    const decision = decide(cluster, wanted, isProtected);
    return [decision.at === "none" && decision.preemption?.node, new Set(lift.mock.calls.flat()).size];
  };
  expect(compared(() => false)).toEqual(["n0", candidatesMin]);
  expect(compared((name) => name !== `p${last}`)).toEqual([`n${last}`, nodes.length]);
});

test("pods of one owner are put apart, and may meet again when one is gone", () => {
  const owned = (name: string) => {
    const metadata = { ...pod(name).metadata, ownerReferences: [{ ...owner, controller: true }] };
    return { ...pod(name), metadata };
  };
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "u" };
  const cluster = clusterOf([node("a"), node("b", { cpu: "2" })], [[owned("p"), "a"]]);
  expect(decide(cluster, owned("q"))).toMatchObject({ node: "b" });
  cluster.removePod("ns/p");
  expect(decide(cluster, owned("q"))).toMatchObject({ node: "a" });
});

test("the first of a group that wants to be together may begin anywhere", () => {
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term("web")] } };
  expect(decide(clusterOf(zones), pod("p", { labels: { app: "web" }, affinity })).at).toBe("found");
});

test("a pod needs as much as its largest init container, or all others together", () => {
  const initContainers = [{ name: "i", image: "i", resources: { requests: { cpu: "3" } } }];
  const wanted = pod("p", { cpu: "2", initContainers: initContainers as never });
  expect(knownPod(wanted).requests.cpu).toBe(3_000);
});

test("what a pod requests as a whole counts instead of the requests of its containers", () => {
  const whole = (cpu: string) => pod("p", { cpu: "1", resources: { requests: { cpu } } });
  expect(decide(clusterOf([node("a")]), whole("5")).at).toBe("none");
  expect(decide(clusterOf([node("a")], [[whole("3"), "a"]]), pod("q", { cpu: "2" })).at).toBe("none");
  expect(decide(clusterOf([node("a")], [[whole("3"), "a"]]), pod("q", { cpu: "1" })).at).toBe("found");
});

test("what a pod uses is free again when it is gone", () => {
  const cluster = clusterOf([node("a", { cpu: "1" })], [[pod("q", { cpu: "1" }), "a"]]);
  expect(decide(cluster, pod("p", { cpu: "1" })).at).toBe("none");
  cluster.removePod("ns/q");
  expect(decide(cluster, pod("p", { cpu: "1" }))).toMatchObject({ at: "found", node: "a" });
});

describe("spread constraints of level 1.35", () => {
  const three = ["1", "2", "3"].map((zone) => node(`n${zone}`, { labels: { zone } }));
  const web = { app: "web" };
  const spread = (more: object) => ({
    labels: { ...web, rev: "new" },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: web },
        ...more,
      },
    ],
  });
  const placed = (...names: string[]): [Pod, string][] =>
    names.map((name, at) => [pod(`old-${at}`, { labels: { ...web, rev: "old" } }), name]);
  const where = (cluster: Cluster, wanted: Pod) => {
    const decision = decide(cluster, wanted);
    return decision.at === "found" ? decision.node : "none";
  };

  test("count a tainted node unless they honor taints", () => {
    const taints = [{ key: "k", effect: "NoSchedule" }];
    const nodes = [three[0], three[1], node("n3", { labels: { zone: "3" }, spec: { taints } })].filter(
      (one) => one !== undefined,
    );
    const cluster = clusterOf(nodes, placed("n1", "n2"));
    expect(where(cluster, pod("p", spread({})))).toBe("none");
    expect(where(cluster, pod("p", spread({ nodeTaintsPolicy: "Honor" })))).toMatch(/^n[12]$/);
  });

  test("count nodes that the pod does not select if they ignore affinity", () => {
    const affinity = { nodeSelector: { host: "n1" } };
    const cluster = clusterOf(three, placed("n1"));
    expect(where(cluster, pod("p", { ...spread({}), ...affinity }))).toBe("n1");
    expect(where(cluster, pod("p", { ...spread({ nodeAffinityPolicy: "Ignore" }), ...affinity }))).toBe("none");
  });

  test("count pods of the same revision alone with matchLabelKeys, and empty places with minDomains", () => {
    const selected = { nodeSelector: { host: "n1" } };
    const cluster = clusterOf(three.slice(0, 1), placed("n1"));
    expect(where(cluster, pod("p", { ...spread({ minDomains: 2 }), ...selected }))).toBe("none");
    expect(where(cluster, pod("p", { ...spread({ minDomains: 2, matchLabelKeys: ["rev"] }), ...selected }))).toBe("n1");
  });
});

describe("the work of a decision", () => {
  const many = 2_000;
  const nodes = Array.from({ length: 10 }, (_, at) => node(`n${at}`, { cpu: "1" }));
  const placed = Array.from({ length: 100 }, (_, at): [Pod, string] => [
    pod(`low-${at}`, { labels: { app: "low" }, priority: -1 }),
    `n${at % 10}`,
  ]);
  /** Of which each has a label of its own. */
  const unlike = placed.map(([one, on], at): [Pod, string] => [
    { ...one, metadata: { ...one.metadata, labels: { app: "low", name: `${at}` } } },
    on,
  ]);
  const repelling = (terms: readonly object[]) =>
    ({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }) as NonNullable<
      PodSpec["affinity"]
    >;

  test("is one comparison of each term with all pods alike, however many pods it thinks of preempting", () => {
    const cluster = clusterOf(nodes, placed);
    const selects = vi.spyOn(cluster, "selects");
    const terms = Array.from({ length: many }, (_, at) => term(at === 0 ? "low" : `app-${at}`, "host"));
    const wanted = knownPod(pod("p", { priority: 9, affinity: repelling(terms) }));
    const { decision, comparisons } = decided(schedule(wanted, cluster, options));
    expect(decision).toMatchObject({ at: "none", preemption: { victims: { length: 10 } } });
    expect(comparisons).toBe(many);
    expect(selects).toHaveBeenCalledTimes(many);
  });

  test("is about pods only that have a label which its terms ask for, in their namespace", () => {
    const others = Array.from({ length: 100 }, (_, at): [Pod, string] => {
      const one = pod(`other-${at}`, { labels: { app: at % 2 === 0 ? "other" : "high" } });
      return [{ ...one, metadata: { ...one.metadata, namespace: at % 2 === 0 ? "ns" : "elsewhere" } }, `n${at % 10}`];
    });
    const high = pod("high", { labels: { app: "high" } });
    const roomy = nodes.map(({ metadata: { name = "" } }) => node(name));
    const cluster = clusterOf(roomy, [...placed, ...others, [high, "n3"]]);
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term("high", "host")] };
    const wanted = knownPod(pod("p", { affinity: { podAffinity } as NonNullable<PodSpec["affinity"]> }));
    const { decision, comparisons } = decided(schedule(wanted, cluster, options));
    expect(decision).toMatchObject({ at: "found", node: "n3" });
    expect(comparisons).toBe(1);
  });

  test("looks at each node once for all pods that ask the same of nodes, and again when one has changed", () => {
    const spread = [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} }];
    const cluster = clusterOf(zones);
    const look = (name: string, nodeSelector: Record<string, string> = {}) => {
      const wanted = knownPod(pod(name, { nodeSelector, topologySpreadConstraints: spread } as Spec));
      const { decision, comparisons } = decided(schedule(wanted, cluster, options));
      return { wanted, at: decision.at === "found" ? decision.node : decision.message, comparisons };
    };
    const place = (name: string) => {
      const looked = look(name);
      cluster.setPod(looked.wanted, looked.at);
      return looked;
    };
    const [first, second] = [place("1"), place("2")];
    expect([first.at, second.at].sort()).toEqual(["a", "b"]);
    // The second compares itself with the first one only.
    expect([first.comparisons, second.comparisons]).toEqual([2, 1]);
    // The two are alike, and what the node says of itself changes all the time.
    cluster.setNode({ ...zones[0]!, status: { ...zones[0]!.status!, phase: "Running" } });
    expect(look("3").comparisons).toBe(1);
    // With an empty zone the others are full.
    cluster.setNode(node("c", { labels: { zone: "3" } }));
    expect(place("4").at).toBe("c");
    cluster.setNode(node("c", { labels: { zone: "2" } }));
    expect(place("5").at).toBe("a");
    // For another question all are looked at.
    expect(look("6", { host: "a" }).comparisons).toBe(3 + 1);
    cluster.removeNode("c");
    expect(look("7").at).not.toBe("c");
  });

  test("reads the terms of a pod once, however often its status changes", () => {
    const terms = repelling([term("low", "host")]);
    const withUid = (uid: string, one = pod("p", { affinity: terms })) => ({
      ...one,
      metadata: { ...one.metadata, uid },
    });
    const first = knownPod(withUid("1"));
    expect(knownPod(withUid("1"), first).repels).toBe(first.repels);
    // Another pod of the same name.
    expect(knownPod(withUid("2"), first).repels).not.toBe(first.repels);
  });

  test("is done in steps of one node or one sort of pods", () => {
    const preferred = Array.from({ length: many }, (_, at) => ({
      weight: 1,
      podAffinityTerm: term(at === 0 ? "low" : `app-${at}`, "host"),
    }));
    const preference = { matchExpressions: [{ key: "host", operator: "In", values: ["n3"] }] };
    const affinity = {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred },
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: Array.from({ length: many }, () => ({
          weight: 1,
          preference,
        })),
      },
    } as NonNullable<PodSpec["affinity"]>;
    const sizes = [...schedule(knownPod(pod("p", { affinity })), clusterOf(nodes, unlike), options)];
    // Each preference of nodes is a requirement and its value.
    expect([sizes.length, Math.max(...sizes)]).toEqual([nodes.length + placed.length, 2 * many]);
  });

  test("never compares in the turn of another decision, which moves pods for a moment", () => {
    const cluster = clusterOf(nodes, unlike);
    const terms = Array.from({ length: many }, () => term("low", "host"));
    const steps = schedule(knownPod(pod("p", { affinity: repelling(terms) })), cluster, options);
    for (let at = 0; at < 50; at++) steps.next();
    const selects = vi.spyOn(cluster, "selects");
    const victims = [...cluster.node("n3")!.pods.keys()]; // it is one of them
    for (const key of victims) cluster.lift(key);
    for (const key of victims) cluster.putBack(key);
    expect(victims).toHaveLength(10);
    expect(selects).not.toHaveBeenCalled();
    expect(decided(steps).decision.at).toBe("none");
  });

  test("compares the pods that others make room for before it decides", () => {
    const cluster = clusterOf(nodes, []);
    const expected = knownPod(pod("expected", { labels: { app: "low" }, priority: 9 }));
    cluster.expect(expected, "n3");
    const terms = [term("low", "host")];
    const selects = vi.spyOn(cluster, "selects");
    let calls = 0;
    const decision = schedule(knownPod(pod("p", { affinity: repelling(terms) })), cluster, {
      ...options,
      decide(decideAtOnce) {
        calls = selects.mock.calls.length;
        cluster.setPod(expected, "n3");
        return decideAtOnce();
      },
    });
    const { decision: made } = decided(decision);
    expect([calls, selects.mock.calls.length]).toEqual([1, 1]);
    expect(made).toMatchObject({ at: "found" });
    expect(made).not.toMatchObject({ node: "n3" });
  });

  test("does not look at the terms of pods that are about other namespaces", () => {
    const far = Array.from({ length: 10 }, (_, at): [Pod, string] => {
      const one = pod(`far-${at}`, { affinity: repelling([term("a", "host"), term("b", "host")]) });
      return [{ ...one, metadata: { ...one.metadata, namespace: "other" } }, `n${at}`];
    });
    const cluster = clusterOf(nodes, far);
    const selects = vi.spyOn(cluster, "selects");
    expect(decided(schedule(knownPod(pod("p")), cluster, options)).decision.at).toBe("found");
    expect(selects).not.toHaveBeenCalled();
  });

  test("names a hundred of the resources that nodes lack, and takes those of which none is requested for none", () => {
    const names = (amount: string) =>
      Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`example.com/r${at}`, amount]));
    const withNames = (amount: string): Pod => {
      const containers = [{ name: "c", image: "i", resources: { requests: names(amount) } }];
      return { ...pod("p"), spec: { containers } as PodSpec };
    };
    expect(knownPod(withNames("0")).requests.others.size).toBe(0);
    const { decision } = decided(schedule(knownPod(withNames("1")), clusterOf(nodes), options));
    expect(decision.at === "none" && decision.message.split(", ").length).toBe(shortagesToldMax);
  });

  test("counts pods that come and go between its steps, and follows nothing when it is over", () => {
    const terms = [term("low", "host")];
    const cluster = clusterOf(nodes, unlike);
    const steps = schedule(knownPod(pod("p", { affinity: repelling(terms) })), cluster, options);
    for (let at = 0; at < 50; at++) steps.next();
    // All pods of n3 leave, those that were counted and those that were not, and one comes to each other node.
    for (const [{ metadata }, on] of unlike) if (on === "n3") cluster.removePod(`ns/${metadata.name}`);
    cluster.setPod(knownPod(pod("new", { labels: { app: "low" } })), "n4");
    cluster.removePod("ns/new");
    expect(decided(steps).decision).toMatchObject({ at: "found", node: "n3" });
    const selects = vi.spyOn(cluster, "selects");
    cluster.setPod(knownPod(pod("later", { labels: { app: "low" } })), "n3");
    expect(selects).not.toHaveBeenCalled();
  });
});
