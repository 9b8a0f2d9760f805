import { describe, expect, test } from "vitest";
import { clientAuth, makeCertificate } from "../base/certificate.suite.ts";
import { parseAuthorities } from "../base/certificate-chain.ts";
import { createManualClock } from "../base/clock.ts";
import { accepted, type CredentialsSpec, credentials } from "./credentials.suite.ts";
import { createFrontProxy, proxyHeaders } from "./front-proxy.ts";

const clock = createManualClock(Date.parse("2026-06-01T00:00:00Z"));
const root = makeCertificate({ subject: [["2.5.4.3", "proxy-root"]], authority: true });
const proxy = makeCertificate({ subject: [["2.5.4.3", "front"]], issuer: root, usages: [clientAuth] });
const certificate = { der: proxy.der, chain: [] };
const authorities = parseAuthorities(root.pem);
const options = {
  authorities: () => authorities,
  userHeaders: ["X-Remote-User", "X-Alt-User"],
  groupHeaders: ["X-Remote-Group", "X-Alt-Group"],
  extraPrefixes: ["X-Remote-Extra-"],
  clock,
};
const ask = async (
  headers: CredentialsSpec["headers"],
  allowedNames: string[] = ["front"],
  presented: CredentialsSpec["certificate"] = certificate,
) =>
  await createFrontProxy({ ...options, allowedNames }).authenticate(
    credentials({ headers: headers ?? {}, certificate: presented }),
  );

describe("the front proxy", () => {
  test("names the user, groups and extra attributes", async () => {
    const outcome = await ask({
      "X-Remote-User": "dave",
      "X-Remote-Group": ["one", "two"],
      "X-Alt-Group": "three",
      "X-Remote-Extra-Acme.com%2Fteam": ["a", "b"],
      "X-Remote-Extra-Bad%zz": "x",
    });
    expect(accepted(outcome)).toEqual({
      user: {
        name: "dave",
        uid: "",
        groups: ["one", "two", "three"],
        extra: new Map([
          ["acme.com/team", ["a", "b"]],
          ["bad%zz", ["x"]],
        ]),
      },
      by: "front-proxy",
      credentialId: "X509 serial 1",
    });
  });

  test("one header line is one group, never split at commas (N17 in docs/security-rows.md)", async () => {
    const outcome = await ask({ "x-remote-user": "dave", "x-remote-group": "dev, system:masters" });
    expect(accepted(outcome).user.groups).toEqual(["dev, system:masters"]);
  });

  test("two lines that name the user are refused (N17)", async () => {
    await expect(ask({ "x-remote-user": ["dave", "admin"] })).rejects.toThrow("more than one x-remote-user header");
    await expect(ask({ "x-remote-user": "dave", "x-alt-user": ["eve", "eve"] })).rejects.toThrow("x-alt-user");
  });

  test("a header with underscores is another header (N17)", async () => {
    expect(await ask({ x_remote_user: "dave" })).toBeUndefined();
  });

  test("the first user header with a value is used", async () => {
    expect(accepted(await ask({ "x-alt-user": "eve" })).user.name).toBe("eve");
    expect(accepted(await ask({ "x-remote-user": "", "x-alt-user": "eve" })).user.name).toBe("eve");
    expect(await ask({ "x-remote-group": "system:masters" })).toBeUndefined();
  });

  test("without the proxy's certificate its headers are ignored", async () => {
    const headers = { "x-remote-user": "dave" };
    const plain = createFrontProxy({ ...options, allowedNames: [] });
    expect(await plain.authenticate(credentials({ headers }))).toBeUndefined();
    const foreign = makeCertificate({ subject: [["2.5.4.3", "front"]], usages: [clientAuth] });
    expect(await ask(headers, ["front"], { der: foreign.der, chain: [] })).toBe("rejected");
  });

  test("only the allowed names may act as the proxy, if there are any (B10)", async () => {
    expect(await ask({ "x-remote-user": "dave" }, ["other"])).toBe("rejected");
    expect(accepted(await ask({ "x-remote-user": "dave" }, [])).user.name).toBe("dave");
  });

  test("all headers that could name a user are listed as secret (N17)", () => {
    expect(proxyHeaders(options)).toEqual([
      "x-remote-user",
      "x-alt-user",
      "x-remote-group",
      "x-alt-group",
      "x-remote-extra-*",
    ]);
  });
});
