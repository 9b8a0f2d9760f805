import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lineBytesMax } from "../streams/log-printer.ts";
import { type NodeServer, openNodeServer } from "../streams/node-server.suite.ts";
import { byActivity } from "../streams/pods.ts";
import { runRemoteCtl, TestTerminal } from "../streams/remote-session.suite.ts";

let node: NodeServer;
const queries: string[] = [];
beforeAll(async () => {
  node = await openNodeServer();
  node.behaviour = {
    onLog(url, response) {
      queries.push(url.search);
      const container = url.searchParams.get("container");
      response.writeHead(200, { "content-type": "text/plain" });
      if (container === "long") response.end("x".repeat(lineBytesMax * 2));
      else if (container === "raw") response.end(Buffer.from([0xff, 0x1b, 0x5b, 0x32, 0x4a, 0x0a]));
      else {
        response.write("first of ");
        setTimeout(() => response.end(`${container}\nlast`), 5);
      }
    },
  };
  await node.pod("a");
  const two = [
    { name: "one", image: "i" },
    { name: "other", image: "i" },
  ];
  await node.pod("b", { labels: { app: "web" }, containers: two });
  await node.pod("c", { labels: { app: "web" }, containers: two });
  await node.pod("odd", {
    containers: [
      { name: "raw", image: "i" },
      { name: "long", image: "i" },
    ],
  });
});
afterAll(() => node[Symbol.asyncDispose]());

const run = async (line: string, more: Partial<Parameters<typeof runRemoteCtl>[1]> = {}) => {
  queries.length = 0;
  const { code, out, err } = await runRemoteCtl(line, { config: node.config, ...more });
  return { code, out: String(out), err };
};

describe("logs", () => {
  test("are printed as the node sends them", async () => {
    expect(await run("logs a")).toEqual({ code: 0, out: "first of main\nlast", err: "" });
    expect((await run("logs -f a")).out).toBe("first of main\nlast");
    expect(queries).toEqual(["?container=main&follow=true"]);
  });

  test("are requested with the parameters of the flags", async () => {
    await run("logs a -p --tail=5 --since=90s --timestamps --limit-bytes=100 --insecure-skip-tls-verify-backend");
    expect(queries).toEqual([
      "?container=main&insecureSkipTLSVerifyBackend=true&limitBytes=100&previous=true&sinceSeconds=90&tailLines=5&timestamps=true",
    ]);
    await run("logs a --since-time=2021-01-01T00:00:00Z");
    expect(queries).toEqual(["?container=main&sinceTime=2021-01-01T00%3A00%3A00Z"]);
  });

  test("of all containers and pods of a selector have a prefix, and ten lines each", async () => {
    const { out } = await run("logs -l app=web --all-containers --prefix");
    const of = (pod: string, container: string) =>
      `[pod/${pod}/${container}] first of ${container}\n[pod/${pod}/${container}] last`;
    expect(out).toBe([of("b", "one"), of("b", "other"), of("c", "one"), of("c", "other")].join(""));
    expect(queries.every((query) => query.includes("tailLines=10"))).toBe(true);
  });

  test("are followed at the same time, up to a limit", async () => {
    const { out } = await run("logs -f -l app=web --all-containers --prefix");
    expect(out.match(/first of/g)).toHaveLength(4);
    expect((await run("logs -f -l app=web --all-containers --max-log-requests=3")).err).toBe(
      "error: you are attempting to follow 4 log streams, but maximum allowed concurrency is 3, use --max-log-requests to increase the limit\n",
    );
  });

  test("of several containers require a container name under the program name kubectl", async () => {
    expect((await run("logs b")).err).toBe(
      "error: a container name must be specified for pod b, choose one of: [one other]\n",
    );
    expect((await run("logs b other")).out).toBe("first of other\nlast");
    expect((await run("logs b -c third")).err).toBe("error: container third is not valid for pod b\n");
  });

  test("are written as bytes to a file, and escaped on a terminal", async () => {
    const raw = await runRemoteCtl("logs odd -c raw", { config: node.config });
    expect([...raw.out]).toEqual([0xff, 0x1b, 0x5b, 0x32, 0x4a, 0x0a]);
    expect((await run("logs odd -c raw", { terminal: new TestTerminal() })).out).toBe("\ufffd^[[2J\n");
  });

  test("are printed even if a line is endless", async () => {
    const { out } = await run("logs odd -c long --prefix");
    expect(out.replaceAll("[pod/odd/long] ", "")).toHaveLength(2 * lineBytesMax);
  });

  test("require consistent arguments", async () => {
    for (const [line, message] of [
      ["logs", "POD or TYPE/NAME is a required argument for the logs command"],
      ["logs a -l app=web", "only a selector (-l) or a POD name is allowed"],
      [
        "logs a --since=1s --since-time=2021-01-01T00:00:00Z",
        "at most one of `sinceTime` or `sinceSeconds` may be specified",
      ],
      ["logs a --since-time=yesterday", 'parsing time "yesterday" as'],
      ["logs a --tail=-2", "--tail must be greater than or equal to -1"],
      ["logs a -c x --all-containers", "--all-containers=true should not be specified with container name x"],
    ])
      expect([line, await run(line!)]).toEqual([
        line,
        expect.objectContaining({ code: 1, err: expect.stringContaining(message!) }),
      ]);
  });
});

test("the most active pod of a workload comes first", () => {
  const pod = (name: string, phase: string, nodeName: string, readySince?: string) => ({
    metadata: { name },
    spec: { nodeName },
    status: {
      phase,
      conditions: readySince === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: readySince }],
    },
  });
  const pods = [
    pod("unassigned", "Pending", ""),
    pod("pending", "Pending", "n"),
    pod("running", "Running", "n"),
    pod("newly ready", "Running", "n", "2021-01-02T00:00:00Z"),
    pod("ready", "Running", "n", "2021-01-01T00:00:00Z"),
  ];
  expect(pods.sort(byActivity).map(({ metadata }) => metadata.name)).toEqual([
    "ready",
    "newly ready",
    "running",
    "pending",
    "unassigned",
  ]);
});
