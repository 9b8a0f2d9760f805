/** Creates with a thousand webhooks that are about something else, and with one that changes the object, beside none. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { issueAuthority, issueServing } from "../../src/main/pki/issue.ts";
import { prepareRequest } from "../connection.ts";
import { fetchOnce, load } from "../load.ts";
import { benchPod } from "../pod.ts";
import { median, perSecond, type Row, withCpu } from "../report.ts";
import { processTarget, startChild, startOrch, type Target } from "../target.ts";

const connections = 32;
/** A tenth more at most. */
const leastRatio = 1 / 1.1;
const podPath = "/api/v1/namespaces/default/pods";
const configurationPath = "/apis/admissionregistration.orch.io/v1/mutatingwebhookconfigurations";
const otherWebhooks = 1_000;
const webhooksOfOne = 100;

export async function measureWebhooks(quick: boolean): Promise<Row[]> {
  const hook = await openHook();
  const [none, others, one] = await Promise.all([startOrch("memory"), startOrch("memory"), startOrch("memory")]);
  try {
    await configureOthers(others, hook);
    await configure(one, "one", [webhook(hook, "one.example.com", { resources: ["pods"] })]);
    const sides: Record<"none" | "others" | "one", Side[]> = { none: [], others: [], one: [] };
    // Many short rounds in turns: what else the machine does falls on all of them.
    for (let round = 0; round < (quick ? 3 : 15); round++) {
      sides.none.push(await create(none));
      sides.others.push(await create(others));
      sides.one.push(await create(one));
    }
    const row = (what: string, side: "others" | "one"): Row => ({
      what,
      measured: shown(sides[side]),
      beside: shown(sides.none),
      ratio: median(sides[side].map(({ cost }, at) => (sides.none[at]?.cost ?? Number.NaN) / cost)),
      budget: "",
    });
    const unaffected = row(`create of a pod, ${otherWebhooks} webhooks about something else`, "others");
    return [
      {
        ...unaffected,
        budget: `>= ${leastRatio.toFixed(2)} of a create without webhooks`,
        met: (unaffected.ratio ?? 0) >= leastRatio,
      },
      row("create of a pod, one webhook that changes it", "one"),
    ];
  } finally {
    await Promise.all([none, others, one, hook].map((target) => target.close()));
  }
}

interface Side {
  readonly rate: number;
  /** CPU time of one request where it is known, else the time it takes. */
  readonly cost: number;
}

const shown = (sides: readonly Side[]) =>
  withCpu(perSecond(median(sides.map(({ rate }) => rate))), median(sides.map(({ cost }) => cost)));

let created = 0;

async function create(target: Target): Promise<Side> {
  const result = await load(target, {
    connections,
    seconds: 0.5,
    statuses: [201],
    request: () => {
      const at = created++;
      return prepareRequest("POST", podPath, target.headers, JSON.stringify(benchPod(`pod-${at}`, at)));
    },
  });
  return { rate: result.perSecond, cost: result.cpuMicros ?? 1e6 / result.perSecond };
}

interface Hook extends Target {
  readonly caBundle: string;
}

async function openHook(): Promise<Hook> {
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-hook-"));
  const authority = issueAuthority("bench", systemClock);
  const serving = issueServing(authority, { commonName: "bench", hosts: ["127.0.0.1"] }, systemClock);
  writeFileSync(join(folder, "serving.crt"), serving.certificate);
  writeFileSync(join(folder, "serving.key"), serving.key, { mode: 0o600 });
  const child = startChild("webhook-server", [folder]);
  const port = await new Promise<number>((done, fail) => {
    child.stdout?.once("data", (chunk: Buffer) => done(Number(chunk.toString())));
    child.once("exit", () => fail(new Error("the webhook server did not start")));
  });
  const target = processTarget(child, port, {});
  return {
    ...target,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
    async close() {
      await target.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface About {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources: readonly string[];
}

const webhook = ({ tls, caBundle }: Hook, name: string, about: About) => ({
  name,
  clientConfig: { url: `https://127.0.0.1:${tls.port}/`, caBundle },
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], ...about }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
});

/** Other resources, other groups, and other things that happen to pods. */
const elsewhere: readonly About[] = [
  { resources: ["secrets", "configmaps"] },
  { resources: ["pods/status", "pods/eviction"] },
  { resources: ["pods"], operations: ["DELETE"] },
  { resources: ["*"], apiGroups: ["apps"] },
];

async function configureOthers(target: Target, hook: Hook): Promise<void> {
  for (let first = 0; first < otherWebhooks; first += webhooksOfOne) {
    const webhooks = Array.from({ length: webhooksOfOne }, (_, at) =>
      webhook(hook, `w${first + at}.example.com`, elsewhere[at % elsewhere.length] as About),
    );
    await configure(target, `others-${first}`, webhooks);
  }
}

async function configure(target: Target, name: string, webhooks: readonly object[]): Promise<void> {
  const body = JSON.stringify({ metadata: { name }, webhooks });
  const { status } = await fetchOnce(target, prepareRequest("POST", configurationPath, target.headers, body));
  if (status !== 201) throw new Error(`the server answered ${status} to a webhook configuration`);
}
