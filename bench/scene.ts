/** What the measurements play in: a server with pods in it, and a bare one that answers with the same bytes. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { issueAuthority, issueServing } from "../src/main/pki/issue.ts";
import { prepareRequest } from "./connection.ts";
import { fetchOnce, load } from "./load.ts";
import { benchPod, groupsCount } from "./pod.ts";
import { processTarget, startChild, type Target } from "./target.ts";

export interface Scene {
  readonly orch: Target;
  readonly bare: Target;
  /** Whether the server was started here, so that its store and start can be compared. */
  readonly isOwn: boolean;
  readonly quick: boolean;
  readonly seconds: number;
  readonly rounds: number;
  readonly pods: number;
  readonly collectionPath: string;
  /** Only the pods of one label group: what a selector matches, without the others. */
  readonly smallPath: string;
  readonly scratchPath: string;
  podPath(index: number): string;
  /** Makes a namespace and gives the path of one of its collections. */
  makeNamespace(name: string, resource: string): Promise<string>;
  close(): Promise<void>;
}

export interface SceneOptions {
  readonly orch: Target;
  readonly isOwn: boolean;
  readonly quick: boolean;
  readonly log: (line: string) => void;
}

export async function openScene({ orch, isOwn, quick, log }: SceneOptions): Promise<Scene> {
  const pods = quick ? 1_000 : 5_000;
  const tag = Date.now().toString(36);
  const makeNamespace = async (name: string, resource: string) => {
    const body = JSON.stringify({ metadata: { name: `${name}-${tag}` } });
    const { status } = await fetchOnce(orch, prepareRequest("POST", "/api/v1/namespaces", orch.headers, body));
    if (status !== 201) throw new Error(`the server answered ${status} to the creation of a namespace`);
    return `/api/v1/namespaces/${name}-${tag}/${resource}`;
  };
  const collectionPath = await makeNamespace("many", "pods");
  const smallPath = await makeNamespace("few", "pods");
  const scratchPath = await makeNamespace("scratch", "pods");
  log(`creating ${pods} pods`);
  const fill = (path: string, count: number, step: number, first: number) =>
    load(orch, {
      connections: 32,
      seconds: 600,
      operations: count,
      statuses: [201],
      request: (index) => {
        const at = first + index * step;
        return prepareRequest("POST", path, orch.headers, JSON.stringify(benchPod(`pod-${at}`, at)));
      },
    });
  await fill(collectionPath, pods, 1, 0);
  await fill(smallPath, Math.ceil(pods / groupsCount), groupsCount, 7);

  const podPath = (index: number) => `${collectionPath}/pod-${index}`;
  const one = await fetchOnce(orch, prepareRequest("GET", podPath(0), orch.headers));
  const all = await fetchOnce(orch, prepareRequest("GET", collectionPath, orch.headers));
  log(`a pod has ${one.body.length} bytes, all of them ${(all.body.length / 1e6).toFixed(1)} MB`);
  const bare = await startBare({ "/get": one.body, "/list": all.body });
  return {
    orch,
    bare,
    isOwn,
    quick,
    seconds: quick ? 1 : 4,
    rounds: quick ? 1 : 3,
    pods,
    collectionPath,
    smallPath,
    scratchPath,
    podPath,
    makeNamespace,
    close: () => bare.close(),
  };
}

async function startBare(bodies: Readonly<Record<string, Buffer>>): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-bare-"));
  const authority = issueAuthority("bench", systemClock);
  const serving = issueServing(authority, { commonName: "bench", hosts: ["127.0.0.1"] }, systemClock);
  writeFileSync(join(folder, "serving.crt"), serving.certificate + authority.certificate);
  writeFileSync(join(folder, "serving.key"), serving.key, { mode: 0o600 });
  const pairs = Object.entries(bodies).map(([path, body], at) => {
    const file = join(folder, `body-${at}`);
    writeFileSync(file, body);
    return `${path}=${file}`;
  });
  const child = startChild("bare-server", [folder, ...pairs]);
  const port = await new Promise<number>((done, fail) => {
    child.stdout?.once("data", (chunk: Buffer) => done(Number(chunk.toString())));
    child.once("exit", () => fail(new Error("the bare server did not start")));
  });
  const target = processTarget(child, port, {});
  return {
    ...target,
    async close() {
      await target.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** For the report: which commit was measured; "": not in a repository. */
export function commitId(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}
