import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { parseFlags } from "../../src/base/flags/parse.ts";
import { clientConfiguration, printClientConfiguration } from "../../src/client/config/print.ts";
import { apiserverFlags } from "../../src/main/flags/apiserver-flags.ts";
import { issueClient } from "../../src/main/pki/issue.ts";
import { openPki, type Pki } from "../../src/main/pki/pki.ts";
import { type ApiServer, openApiServer } from "../../src/main/programs/apiserver.ts";
import { kubernetes } from "../../src/vocabulary/kubernetes.ts";
import { describeWith, kubectl, kubectlPath, run } from "./programs.ts";

describeWith(kubectl, "access with kubectl", () => {
  let server: ApiServer;
  let pki: Pki;
  let folder = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "orch-kubectl-access-"));
    pki = await openPki({
      folder: join(folder, "pki"),
      hosts: ["127.0.0.1"],
      adminName: "admin",
      clock: systemClock,
    });
    await writeFile(join(folder, "tokens.csv"), "alice-token,alice,1,dev\n", { mode: 0o600 });
    const { values } = parseFlags(apiserverFlags, [
      "--vocabulary=kubernetes",
      "--store=memory",
      "--bind-address=127.0.0.1",
      "--secure-port=0",
      "--authorization-mode=Node,RBAC",
      `--client-ca-file=${join(folder, "pki/ca.crt")}`,
      `--tls-cert-file=${join(folder, "pki/serving.crt")}`,
      `--tls-private-key-file=${join(folder, "pki/serving.key")}`,
      `--token-auth-file=${join(folder, "tokens.csv")}`,
      `--service-account-key-file=${pki.files.tokenPublicKey}`,
      `--service-account-signing-key-file=${pki.files.tokenKey}`,
      "--service-account-issuer=https://example.com",
    ]);
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    server = await openApiServer({ flags: values, clock: systemClock, log });
    await configure("admin", { certificate: pki.admin.certificate, key: pki.admin.key });
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function configure(name: string, credential: { certificate?: string; key?: string; token?: string }) {
    const access = { server: server.url, authority: pki.authority.certificate, ...credential };
    const text = printClientConfiguration(clientConfiguration(access, kubernetes));
    await writeFile(join(folder, name), text, { mode: 0o600 });
  }
  const ctlAs = (name: string, args: string, input?: string) =>
    run(kubectlPath, args.split(" "), {
      env: { KUBECONFIG: join(folder, name), HOME: folder },
      ...(input ? { input } : {}),
    });
  /** As the administrator; must succeed. */
  async function ctl(args: string, input?: string): Promise<string> {
    const { code, stdout, stderr } = await ctlAs("admin", args, input);
    expect({ args, code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  }

  test("the discovery document for token verifiers names the server's actual port", async () => {
    const { jwks_uri: uri } = JSON.parse(await ctl("get --raw /.well-known/openid-configuration"));
    expect(uri).toBe(`${server.url}/openid/v1/jwks`);
    expect(JSON.parse(await ctl(`get --raw ${new URL(uri).pathname}`)).keys).toHaveLength(1);
  });

  test("roles and bindings can be created and reviewed", async () => {
    await ctl("create role reader --verb=get,list --resource=pods");
    await ctl("create rolebinding readers --role=reader --user=carol --group=dev");
    await ctl("create clusterrole nodes --verb=get --resource=nodes");
    await ctl("create clusterrolebinding nodes --clusterrole=nodes --user=carol");
    expect(await ctl("auth can-i list pods --as=carol")).toBe("yes\n");
    const refused = await ctlAs("admin", "auth can-i delete pods --as=carol");
    expect([refused.code, refused.stdout]).toEqual([1, "no\n"]);
    const list = await ctl("auth can-i --list --as=carol");
    expect(list).toMatch(/^pods +\[\] +\[\] +\[get list\]$/m);
    expect(list).toMatch(/^nodes +\[\] +\[\] +\[get\]$/m);
  });

  test("impersonation works only where it is allowed", async () => {
    expect((await ctlAs("admin", "get pods --as=carol")).code).toBe(0);
    expect((await ctlAs("admin", "get secrets --as=carol")).stderr).toContain("forbidden");
    await configure("alice", { token: "alice-token" });
    expect((await ctlAs("alice", "get pods --as=carol")).stderr).toContain("cannot impersonate");
  });

  test("a token and a client certificate each authenticate a user", async () => {
    expect((await ctlAs("alice", "get pods")).code).toBe(0);
    expect((await ctlAs("alice", "get nodes")).stderr).toContain('User "alice" cannot list');
    const request = { commonName: "carol", organizations: ["qa"] };
    await configure("carol", issueClient(pki.authority, request, systemClock));
    expect((await ctlAs("carol", "get pods")).code).toBe(0);
    expect((await ctlAs("carol", "get secrets")).stderr).toContain('User "carol" cannot list');
    await configure("wrong", { token: "wrong" });
    expect((await ctlAs("wrong", "get pods")).stderr).toMatch(/Unauthorized|logged in/);
  });

  test("certificate requests can be approved and denied", async () => {
    const made = await run("openssl", [
      "req",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-keyout",
      join(folder, "dave.key"),
      "-out",
      join(folder, "dave.csr"),
      "-subj",
      "/CN=dave",
    ]);
    expect(made.code).toBe(0);
    const request = (await readFile(join(folder, "dave.csr"))).toString("base64");
    for (const [name, verb, condition] of [
      ["dave-1", "approve", "Approved"],
      ["dave-2", "deny", "Denied"],
    ]) {
      const object = {
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name },
        spec: { request, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] },
      };
      await ctl("create -f -", JSON.stringify(object));
      await ctl(`certificate ${verb} ${name}`);
      expect(await ctl("get csr " + name + " --no-headers")).toMatch(new RegExp(`${condition}\\n$`));
    }
  });
});
