import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { parseFlags } from "../../src/base/flags/parse.ts";
import { silentLog } from "../../src/base/log.ts";
import { apiserverFlags } from "../../src/main/flags/apiserver-flags.ts";
import { openPki } from "../../src/main/pki/pki.ts";
import { type ApiServer, openApiServer } from "../../src/main/programs/apiserver.ts";
import { metricTable } from "../../src/metrics/table.ts";
import { kubernetes } from "../../src/vocabulary/kubernetes.ts";
import { describeWith, freePort, prometheus, run } from "./programs.ts";

const given = resolve("deploy/prometheus");
const dashboardPath = resolve("deploy/grafana/orch.json");

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

/** The queries of all panels, with what Grafana puts in for its variables. */
async function dashboardQueries(): Promise<readonly string[]> {
  const { panels } = JSON.parse(await readFile(dashboardPath, "utf8")) as Dashboard;
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  return queries.map((query) => query.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*"));
}

describeWith(prometheus, "Debian's Prometheus", () => {
  let folder = "";
  let server: ApiServer;
  let program: ChildProcess | undefined;
  let base = "";
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-prometheus-"));
    await openPki({ folder: at("pki"), hosts: ["127.0.0.1"], adminName: "admin", clock: systemClock });
    await writeFile(at("tokens.csv"), "scraping-token,prometheus,1,system:monitoring\n", { mode: 0o600 });
    const args = [
      "--bind-address=127.0.0.1",
      "--secure-port=0",
      "--store=memory",
      "--authorization-mode=RBAC",
      `--cert-dir=${at("certs")}`,
      `--tls-cert-file=${at("pki/serving.crt")}`,
      `--tls-private-key-file=${at("pki/serving.key")}`,
      `--token-auth-file=${at("tokens.csv")}`,
    ];
    server = await openApiServer({
      flags: parseFlags(apiserverFlags, args).values,
      clock: systemClock,
      log: silentLog,
    });
    await cp(given, at("prometheus"), { recursive: true });
    await mkdir(at("prometheus/secrets"), { recursive: true });
    await writeFile(at("prometheus/secrets/token"), "scraping-token");
    await cp(at("pki/ca.crt"), at("prometheus/secrets/ca.crt"));
    const config = await readFile(at("prometheus/prometheus.yml"), "utf8");
    const quick = config.replaceAll("15s", "1s").replace("127.0.0.1:6443", new URL(server.url).host);
    await writeFile(at("prometheus/quick.yml"), quick);
  });
  afterAll(async () => {
    if (program?.exitCode === null) {
      program.kill();
      await once(program, "exit");
    }
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const promtool = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("promtool", args);
    expect(code, stdout + stderr).toBe(0);
  };

  test("accepts the configuration, the rules and their tests", async () => {
    await promtool("check", "config", at("prometheus/prometheus.yml"));
    await promtool("check", "rules", join(given, "rules/recording.yml"), join(given, "rules/alerts.yml"));
    await promtool("test", "rules", join(given, "tests/alerts.test.yml"));
  });

  test("finds no unknown metric in rules and dashboard", async () => {
    const names = new Set(metricTable.flatMap(({ name }) => [name, kubernetes.metric(name)]));
    const files = ["rules/recording.yml", "rules/alerts.yml"].map((name) => readFile(join(given, name), "utf8"));
    const texts = await Promise.all(files);
    const recorded = new Set([...texts.join().matchAll(/record: (\S+)/g)].map(([, name]) => name));
    const expressions = texts.map((text) =>
      text.replace(/^#.*$|^ +(alert|summary|description|- name|record): .*$/gm, ""),
    );
    const mentioned = [...expressions, ...(await dashboardQueries())].flatMap((text) => [
      ...text.matchAll(/(?<![\w:])[a-z]+_[a-z0-9_]+(?::[\w:]+)?|\w+(?::\w+){2,}/g),
    ]);
    const isKnown = (name: string) =>
      recorded.has(name) || names.has(name) || names.has(name.replace(/_(bucket|sum|count)$/, "")) || words.has(name);
    expect([...new Set(mentioned.map(([name]) => name))].filter((name) => !isKnown(name))).toEqual([]);
    const used = [...recorded].filter((name) => name !== undefined && mentioned.some(([one]) => one === name));
    expect(used.length).toBeGreaterThan(2);
  });

  test("scrapes a server over TLS with a token, and parses the result", async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    program = spawn("prometheus", [
      `--config.file=${at("prometheus/quick.yml")}`,
      `--storage.tsdb.path=${at("data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ]);
    const value = async (query: string) => (await ask(query))[0]?.value?.[1];
    await until(async () => (await value('up{job="orch-apiserver"}')) === "1");
    await until(async () => Number(await value("sum(apiserver_request_total)")) > 0);
    await until(async () => (await value("instance:apiserver_request:rate5m")) !== undefined);
    const response = await fetch(`${base}/api/v1/metadata`);
    const { data } = (await response.json()) as { data: Record<string, { type: string; help: string }[]> };
    expect(data["apiserver_request_total"]?.[0]).toMatchObject({
      type: "counter",
      help: expect.stringMatching(/^\[STABLE\] /),
    });
    expect(data["apiserver_request_duration_seconds"]?.[0]?.type).toBe("histogram");
    for (const query of await dashboardQueries()) await ask(query);
    const rules = async () => {
      const answer = (await (await fetch(`${base}/api/v1/rules`)).json()) as {
        data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
      };
      return answer.data.groups.flatMap((group) => group.rules);
    };
    await until(async () => (await rules()).every(({ health }) => health !== "unknown"));
    expect((await rules()).filter(({ health }) => health !== "ok")).toEqual([]);
    const text = await (await fetch(`${base}/api/v1/query?query=orch_build_info`)).text();
    expect(text).toContain('"major":"1"');
  });

  async function ask(query: string): Promise<readonly { readonly value?: readonly [number, string] }[]> {
    const response = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(query)}`).catch(() => undefined);
    if (response === undefined) return []; // it is still starting
    if (response.status === 503) return [];
    const body = (await response.json()) as { status: string; error?: string; data: { result: [] } };
    expect(body.status, `${query}: ${body.error}`).toBe("success");
    return body.data.result;
  }
});

/** Functions, labels and words of PromQL that look like metrics. */
const words: ReadonlySet<string> = new Set([
  "histogram_quantile",
  "min_over_time",
  "group_left",
  "request_kind",
  "removed_release",
  "error_type",
  "calling_webhook_error",
]);

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((done) => setTimeout(done, 100));
}
