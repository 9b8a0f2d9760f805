/** Gets with and without priority and fairness, and what honest tenants wait for while another one floods the server. */

import { compareGets } from "../compare-gets.ts";
import { Connection, prepareRequest } from "../connection.ts";
import { load } from "../load.ts";
import { benchPod } from "../pod.ts";
import type { Row } from "../report.ts";
import { startChild, startOrch, type Target } from "../target.ts";

const connections = 32;
/** A twentieth more at most. */
const leastRatio = 1 / 1.05;
const podPath = "/api/v1/namespaces/default/pods";
const pods = 1_000;
const honest = Array.from({ length: 8 }, (_, at) => `honest-${at}`);
/** More than all requests that a server takes by default. */
const floodConnections = 700;
/** How often each honest tenant asks. */
const paceMs = 50;

export async function measureFairness(quick: boolean): Promise<Row[]> {
  const users = ["flood", ...honest];
  const fair = await startOrch("memory", "AlwaysAllow", undefined, { limits: [], users });
  const unfair = await startOrch("memory", "AlwaysAllow", undefined, {
    limits: ["--enable-priority-and-fairness=false"],
    users,
  });
  try {
    for (const target of [fair, unfair]) await fill(target);
    return [await gets(fair, unfair, quick ? 3 : 15), ...(await floods(fair, unfair, quick ? 3 : 15))];
  } finally {
    await fair.close();
    await unfair.close();
  }
}

/** By a user that no exemption applies to. */
async function gets(fair: Target, unfair: Target, rounds: number): Promise<Row> {
  const request = prepareRequest("GET", `${podPath}/pod-0`, { authorization: "Bearer jane" });
  const compared = await compareGets({ own: fair, other: unfair }, request, rounds);
  return {
    what: "get one pod with priority and fairness",
    ...compared,
    budget: `>= ${leastRatio.toFixed(2)} of a get without`,
    met: compared.ratio >= leastRatio,
  };
}

async function floods(fair: Target, unfair: Target, seconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, target] of [
    ["with", fair],
    ["without", unfair],
  ] as const) {
    // Their connections are open already: handshakes are not what is measured.
    const tenants = await Promise.all(honest.map(() => Connection.open(target.tls)));
    const calm = await askAsHonest(tenants, seconds);
    const flood = await startFlood(target);
    const seen = await askAsHonest(tenants, seconds);
    await flood.stop();
    for (const connection of tenants) connection.close();
    rows.push({
      what: `get by 8 honest tenants while one lists ${pods} pods over ${floodConnections} connections, ${name} fairness`,
      measured: shown(seen),
      beside: `${shown(calm)}, calm`,
      budget: "",
    });
  }
  return rows;
}

interface Seen {
  readonly p99Ms: number;
  readonly refused: number;
  readonly all: number;
}

const shown = ({ p99Ms, refused, all }: Seen) => `p99 ${Math.round(p99Ms)} ms, ${refused} of ${all} refused`;

async function askAsHonest(tenants: readonly Connection[], seconds: number): Promise<Seen> {
  const times: number[] = [];
  let refused = 0;
  const end = performance.now() + seconds * 1_000;
  const drive = async (connection: Connection, at: number) => {
    const request = prepareRequest("GET", `${podPath}/pod-0`, { authorization: `Bearer ${honest[at]}` });
    while (performance.now() < end) {
      const start = performance.now();
      const { status } = await connection.request(request);
      times.push(performance.now() - start);
      if (status === 429) refused++;
      await pause(paceMs);
    }
  };
  await Promise.all(tenants.map(drive));
  times.sort((a, b) => a - b);
  return { p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN, refused, all: times.length };
}

/** In a process of its own: what the flood costs its sender must not delay the honest tenants, which this process measures. */
async function startFlood({ tls }: Target): Promise<{ stop(): Promise<void> }> {
  const child = startChild("flood", [String(tls.port), podPath, "flood", String(floodConnections)]);
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  await new Promise((done) => child.stdout?.once("data", done));
  await pause(1_000);
  return {
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

const pause = (ms: number) => new Promise<void>((done) => void setTimeout(done, ms));

async function fill(target: Target): Promise<void> {
  await load(target, {
    connections,
    seconds: 600,
    operations: pods,
    statuses: [201],
    request: (index) =>
      prepareRequest("POST", podPath, target.headers, JSON.stringify(benchPod(`pod-${index}`, index))),
  });
}
