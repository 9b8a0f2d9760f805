/** Subresources that need the agent of a node. */

import { describe, expect, test } from "vitest";
import { container, openPods, pod } from "./pods.suite.ts";

describe("subresources that need a node's agent", () => {
  test("reports why connections cannot be opened", async () => {
    const { registry, post, connect } = await openPods();
    await expect(connect("pods/exec", "p")).rejects.toMatchObject({ code: 404, details: { kind: "pods" } });
    await post("pods", pod("p"));
    await expect(connect("pods/exec", "p")).rejects.toMatchObject({ code: 400 });
    await expect(connect("pods/attach", "p", { container: "other" })).rejects.toMatchObject({ code: 400 });
    await post("pods", pod("q", { nodeName: "n" }));
    await expect(connect("pods/portforward", "q")).rejects.toMatchObject({ code: 404, details: { kind: "nodes" } });
    await post("nodes", { metadata: { name: "n" } });
    await expect(connect("pods/exec", "q")).rejects.toMatchObject({ code: 503 });
    await expect(connect("pods/log", "q")).rejects.toMatchObject({ code: 503 });
    await expect(connect("nodes/proxy", "n:10250")).rejects.toMatchObject({ code: 503 });
    await registry.close();
  });

  test("finds the agent of the pod's node, and tells it what is asked", async () => {
    const { registry, post, setStatus, connect } = await openPods();
    await post("nodes", { metadata: { name: "n" } });
    const daemonEndpoints = { orchletEndpoint: { Port: 12_345 } };
    await setStatus("nodes", "n", { addresses: [{ type: "InternalIP", address: "10.0.0.7" }], daemonEndpoints });
    await post("pods", pod("p", { nodeName: "n" }));
    const exec = await connect("pods/exec", "p", { command: "ls /", stdout: "true", stdin: "false", tty: "1" });
    expect(exec).toMatchObject({
      scheme: "https",
      host: "10.0.0.7",
      port: 12_345,
      isNodeAgent: true,
      agentCall: { target: "/exec/a/p/c?command=ls+%2F&output=1&tty=1", answer: "stream" },
    });
    const targetOf = async (path: string, query: Record<string, string>) =>
      (await connect(path, "p", query))?.agentCall?.target;
    expect(await targetOf("pods/attach", { stdin: "true" })).toBe("/attach/a/p/c?input=1");
    expect(await targetOf("pods/portforward", { ports: "80,81" })).toBe("/portForward/a/p?port=80&port=81");
    expect(await targetOf("pods/log", { follow: "true", tailLines: "3", pretty: "true" })).toBe(
      "/containerLogs/a/p/c?follow=true&tailLines=3",
    );
    await registry.close();
  });

  test("returns an empty log for an unscheduled pod, and requires a container name if there are several", async () => {
    const { registry, post, connect } = await openPods();
    await post("pods", pod("p"));
    await post("pods", pod("q", { containers: [container, { ...container, name: "d" }] }));
    expect(await connect("pods/log", "p")).toBeUndefined();
    await expect(connect("pods/log", "q")).rejects.toMatchObject({ code: 400 });
    expect(await connect("pods/log", "q", { container: "d" })).toBeUndefined();
    await post("pods", pod("r", { initContainers: [{ ...container, name: "first" }] }));
    expect(await connect("pods/log", "r")).toBeUndefined();
    await registry.close();
  });

  test("refuses invalid numbers in log options", async () => {
    const { registry, post, connect } = await openPods();
    await post("pods", pod("p"));
    const fine = { tailLines: "0", limitBytes: "1", sinceTime: "2021-06-01T00:00:00Z" };
    expect(await connect("pods/log", "p", fine)).toBeUndefined();
    const wrong = { tailLines: "-1", limitBytes: "0", sinceSeconds: "0" };
    await expect(connect("pods/log", "p", wrong)).rejects.toMatchObject({
      code: 422,
      details: { kind: "PodLogOptions", name: "p", causes: [{ field: "tailLines" }, { field: "limitBytes" }, {}] },
    });
    const both = { sinceSeconds: "1", sinceTime: fine.sinceTime };
    await expect(connect("pods/log", "p", both)).rejects.toMatchObject({
      code: 422,
      details: { causes: [{ field: "[]" }] },
    });
    for (const query of [{ tailLines: "some" }, { limitBytes: "9".repeat(19) }, { sinceTime: "now" }]) {
      await expect(connect("pods/log", "gone", query)).rejects.toMatchObject({ code: 400 });
    }
    await registry.close();
  });

  test("answers 404 to the proxy of a service without endpoints, and 503 if there are endpoints", async () => {
    const { registry, post, connect } = await openPods();
    await post("services", { metadata: { name: "s" }, spec: { clusterIP: "None", ports: [{ port: 80 }] } });
    for (const name of ["s", "s:80", "https:s:80"]) {
      await expect(connect("services/proxy", name)).rejects.toMatchObject({ code: 404, details: { name: "s" } });
    }
    await expect(connect("services/proxy", "a:b:c:d")).rejects.toMatchObject({ code: 400 });
    const subsets = [{ addresses: [{ ip: "10.1.0.1" }], ports: [{ port: 80 }] }];
    await post("endpoints", { metadata: { name: "s" }, subsets });
    await expect(connect("services/proxy", "s:80")).rejects.toMatchObject({ code: 503 });
    await expect(connect("services/proxy", "s:81")).rejects.toMatchObject({ code: 503 });
    await registry.close();
  });
});
