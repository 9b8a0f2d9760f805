/** What `ctl` does with hostile data: escapes in objects, manifests without an end, files that others could read. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { openSession } from "../../src/ctl/session.suite.ts";
import { openKubectlSession } from "./kubectl-session.ts";
import { describeWith, openssl, run } from "./programs.ts";

const ctlPath = resolve("bin/ctl");
const escapes = "\u001b[2J\u001b]52;c;aGk=\u0007\r\u202e\u009b31m";
/** The colour of an abnormal cell, which is ours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
const colours = /\u001b\[\d+m/g;
/** Everything below a space but tab and newline, and what turns a line around. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
const dangerous = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe("escape sequences from a server", () => {
  test("are shown and not executed, in every command that prints for people", async () => {
    await using session = await openSession("kubectl");
    const note = JSON.stringify(escapes);
    session.file(
      "hostile.json",
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"hostile","annotations":{"a":${note}}},"data":{"k":${note}}}
{"apiVersion":"v1","kind":"Event","metadata":{"name":"e"},"involvedObject":{"kind":"ConfigMap","name":"hostile","namespace":"default","apiVersion":"v1"},"reason":${note},"message":${note},"type":"Normal"}
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"traps.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"traps","kind":"Trap"},"versions":[{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[{"name":"Text","type":"string","jsonPath":".text"}],"schema":{"openAPIV3Schema":{"type":"object","properties":{"text":{"type":"string","description":${note}}}}}}]}}`,
    );
    session.file("trap.json", `{"apiVersion":"example.com/v1","kind":"Trap","metadata":{"name":"t"},"text":${note}}`);
    await session.run("create -f hostile.json");
    await session.run("create -f trap.json");
    for (const line of [
      "describe configmap hostile",
      "get events",
      "events",
      "get traps",
      "get traps -o wide --show-labels",
      "describe trap t",
      "explain trap.text",
      "get configmap hostile -o jsonpath={.data.k}",
      "get configmap hostile -o yaml",
      "get configmap hostile -o json",
      "get configmap hostile -o custom-columns=K:.data.k",
      "get configmap hostile -o go-template={{.data.k}}",
      "annotate configmap hostile --list",
    ]) {
      const { out, err } = await session.run(line, { isTerminal: true });
      expect([line, dangerous.exec((out + err).replaceAll(colours, ""))?.[0]]).toEqual([line, undefined]);
    }
    const missing = await session.run(["get", "configmap", escapes]);
    expect(dangerous.test(missing.err)).toBe(false);
  });
});

describe("files that ctl writes", () => {
  test("can be read by their owner only, whatever the umask of the process", async () => {
    const session = await openKubectlSession();
    const env = { ...session.env, XDG_CACHE_HOME: join(session.folder, "cache") };
    await run("/bin/sh", ["-c", `umask 000; "${ctlPath}" get pods; "${ctlPath}" explain pod`], { env });
    const folder = join(session.folder, "cache/orch-ctl");
    const files = readdirSync(folder).map((name) => join(folder, name));
    expect(files.length).toBeGreaterThan(0);
    for (const path of [folder, ...files]) expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
    for (const path of files) expect(readFileSync(path, "utf8")).not.toMatch(/BEGIN |PRIVATE KEY/);
    await session.close();
  });
});

describeWith(openssl, "a manifest from a URL", () => {
  test("is read up to its limit and no further", async () => {
    const folder = mkdtempSync(join(tmpdir(), "orch-ctl-url-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        key,
        "-out",
        cert,
        "-days",
        "2",
        "-subj",
        "/CN=x",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
      ],
      { stdio: "ignore" },
    );
    let sent = 0;
    const chunk = Buffer.alloc(65_536, "#");
    const endless = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
      const more = () => {
        while (sent < 500e6) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    });
    await new Promise<void>((done) => endless.listen(0, "127.0.0.1", done));
    const { port } = endless.address() as AddressInfo;
    const env = { NODE_EXTRA_CA_CERTS: cert, HOME: folder, KUBECONFIG: join(folder, "none") };
    const apply = (url: string) => run(ctlPath, ["apply", "-f", url, "--server=https://127.0.0.1:1"], { env });
    const { code, stderr } = await apply(`https://127.0.0.1:${port}/big.yaml`);
    expect([code, stderr]).toEqual([1, expect.stringContaining("it has more than 10485760 bytes")]);
    expect(sent).toBeLessThan(64e6);
    expect((await apply(`http://127.0.0.1:${port}/big.yaml`)).stderr).toContain("only https is allowed");
    endless.closeAllConnections();
    await new Promise((done) => endless.close(done));
    rmSync(folder, { recursive: true, force: true });
  });
});
