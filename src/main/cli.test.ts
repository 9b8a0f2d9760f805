import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { main, usageExitCode } from "./cli.ts";
import { commands } from "./commands/list.ts";

let stderr = "";
let before: typeof process.exitCode;
beforeEach(() => {
  stderr = "";
  before = process.exitCode;
  vi.useFakeTimers({ toFake: ["setTimeout"] }); // an error ends the process after a second
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.clearAllTimers();
  vi.useRealTimers();
  process.exitCode = before;
});

/** The lines of standard error and the code with which the process would exit. */
async function failing(...args: string[]) {
  process.exitCode = 0;
  await main(args);
  return { code: process.exitCode, lines: stderr.trimEnd().split("\n") };
}

describe("what is printed", () => {
  const printing = async (...args: string[]): Promise<string> => {
    let stdout = "";
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      stdout += String(text);
      return true;
    });
    await main(args);
    return stdout;
  };

  test.each(["apiserver", "controller-manager", "scheduler", "envtest kube-apiserver"])(
    "%s --version says which software this is",
    async (names) => {
      expect(await printing(...names.split(" "), "--v=2", "--version")).toMatch(/^orch \d+\.\d+\.\d+\S* \(API v/);
    },
  );

  test("version, --version and -v print the same", async () => {
    const version = await printing("version");
    expect(version).toMatch(/^orch \d+\.\d+\.\d+\S* \(API v1\.21\.14 to v1\.37\.0, Node v/);
    expect(await printing("--version")).toBe(version);
    expect(await printing("-v")).toBe(version);
  });

  test("the help of orch up fits a screen, and help of an unknown command is a mistake", async () => {
    const up = await printing("help", "up");
    expect(up).toContain("the IP address to listen on, or localhost (default 127.0.0.1)");
    expect(up.split("\n").length).toBeLessThan(30);
    const { lines } = await failing("dance");
    stderr = "";
    expect(await failing("help", "dance")).toEqual({ code: usageExitCode, lines });
  });

  test("kube-apiserver --version of envtest says which release it serves", async () => {
    vi.stubEnv("ORCH_EMULATED_VERSION", "1.28");
    expect(await printing("envtest", "kube-apiserver", "--version")).toMatch(/^orch \S+ \(API v1\.28\.\d+, Node/);
  });

  test.each([
    [["che"], ["check"]],
    [["help", "sch"], ["scheduler"]],
    [["run", "--auth"], ["--authorization"]],
    [
      ["run", "--authorization="],
      ["--authorization=AlwaysAllow", "--authorization=RBAC"],
    ],
    [["run", "--authorization", "=", "R"], ["RBAC"]],
    [
      ["up", "--vocabulary", ""],
      ["orch", "kubernetes"],
    ],
    [["--detac"], ["--detach"]],
    [["completion", "z"], ["zsh"]],
    [["run", "--", "--auth"], []],
    [["backup", ""], []],
  ])("a shell completes %j with %j", async (words, found) => {
    expect(await printing("__complete", ...words)).toBe(found.map((word) => `${word}\n`).join(""));
  });

  test("completion prints code for a shell, which asks this program, and refuses other shells", async () => {
    const code = await printing("completion", "bash");
    expect(code).toContain("complete -o default -F __orch_complete orch");
    expect(spawnSync("bash", ["-n"], { input: code }).status).toBe(0);
    expect((await failing("completion", "csh")).lines.at(-1)).toBe('orch: Unsupported shell type "csh".');
  });

  test("flags after -- belong to the command that orch run starts", async () => {
    expect(await printing("run", "--help", "--", "true")).toContain("throw-away server");
    const { code, lines } = await failing("run", "--no-such-flag=1", "--", "node", "--help");
    expect([code, lines[1]]).toEqual([usageExitCode, expect.stringContaining("unknown flag --no-such-flag")]);
  });
});

describe("a mistyped flag", () => {
  test.each(commands.map(({ name, synopsis }) => [name, synopsis]))("of %s shows its usage", async (name, synopsis) => {
    const { code, lines } = await failing(name, "--no-such-flag=1");
    expect(code).toBe(usageExitCode);
    expect(lines[0]).toBe(`usage: orch ${name} ${synopsis}`);
    expect(lines[1]).toMatch(/^orch: unknown flag --no-such-flag/);
    expect(lines).toHaveLength(2);
  });
});

describe("wrong usage", () => {
  test.each<[string[], string, string]>([
    [["--no-such-flag"], "usage: orch up [flags]", "orch: unknown flag --no-such-flag; --help-all lists them all"],
    [["doctr"], "usage: orch COMMAND [flags]", 'orch: there is no command "doctr"; did you mean "orch doctor"?'],
    [["dance"], "usage: orch COMMAND [flags]", 'orch: there is no command "dance"; "orch help" lists them'],
    [["up", "--secure-port=many"], "usage: orch up", "orch: --secure-port must be a port from 0 to 65535"],
    [["apiserver", "extra"], "usage: orch apiserver", 'orch: unexpected argument "extra"'],
    [["apiserver", "--data-dir"], "usage: orch apiserver", "orch: --data-dir needs a value"],
    [["controller-manager", "--leader-elect=maybe"], "usage: orch controller-manager", "must be true or false"],
    [["user"], "usage: orch user NAME [flags]", "is missing"],
    [["up", "--controllers=deploymnt"], "usage: orch up", 'no controller "deploymnt"; did you mean "deployment"?'],
    [["user", "ann", "ben"], "usage: orch user", 'takes one name, not also "ben"'],
    [["run", "--"], "usage: orch run", "orch: the command is missing: it stands behind --"],
    [["host", "deploy/web"], "usage: orch host deploy/NAME", "orch: the program is missing: it stands behind --"],
    [
      ["host", "pod/web", "--", "true"],
      "usage: orch host deploy/NAME",
      "orch: one Deployment is needed, as deploy/NAME",
    ],
    [["status", "extra"], "usage: orch status", 'unexpected argument "extra"'],
    [["stop", "extra"], "usage: orch stop", 'unexpected argument "extra"'],
    [["backup"], "usage: orch backup", "takes one FILE"],
    [["restore", "a", "b"], "usage: orch restore", "takes one FILE"],
    [["restore", "a"], "usage: orch restore", "give one of --data-dir, --kvstore-servers and --store"],
    [["check", "a", "b"], "usage: orch check", "takes one FILE"],
    [["check", "a", "--data-dir=b"], "usage: orch check", "give only one of FILE"],
    [["check", "--output=xml"], "usage: orch check", 'must be one of text, json, not "xml"'],
    [["migrate"], "usage: orch migrate", "--to must be etcd, postgres or embedded"],
    [["migrate", "--to=etcd"], "usage: orch migrate", "--kvstore-servers must name etcd"],
    [["reencrypt", "extra"], "usage: orch reencrypt", 'unexpected argument "extra"'],
    [["doctor", "--output=xml"], "usage: orch doctor", 'must be one of text, json, not "xml"'],
  ])("%j exits with the code of wrong usage", async (args, usage, problem) => {
    const { code, lines } = await failing(...args);
    expect(code).toBe(usageExitCode);
    expect(lines[0]).toContain(usage);
    expect(lines.at(-1)).toContain(problem);
  });

  test("does not include a file that cannot be read or a folder that does not exist", async () => {
    const missing = await failing(
      "apiserver",
      "--store=memory",
      "--bind-address=127.0.0.1",
      "--audit-policy-file=/none/policy.yaml",
    );
    expect([missing.code, missing.lines]).toEqual([
      1,
      ["orch: --audit-policy-file: cannot read /none/policy.yaml: there is no such file"],
    ]);
    stderr = "";
    const absent = await failing("backup", "/none/backup", "--data-dir=/none");
    expect([absent.code, absent.lines]).toEqual([1, ["orch: the folder /none cannot be used: ENOENT"]]);
  });
});

describe("orch apiserver", () => {
  const noUsage = [1, 1];
  const withUsage = [usageExitCode, 2];
  test.each<[string[], string, number[]]>([
    [["--bind-address=0.0.0.0"], "allows every client that reaches 0.0.0.0 to do anything", noUsage],
    [["--client-ca-file=/no/such/file"], "--client-ca-file: cannot read /no/such/file: there is no such file", noUsage],
    [["--enable-admission-plugins=Nothing"], 'there is no admission plugin "Nothing"', noUsage],
    [["--authorization-mode=Nothing"], 'there is no mode "Nothing"', noUsage],
    [["--bind-address=nowhere"], "--bind-address must be an IP address such as 127.0.0.1", withUsage],
    [
      ["--bind-address=192.0.2.1", "--authorization-mode=RBAC"],
      "192.0.2.1 is not an address of this machine",
      withUsage,
    ],
    [["--secure-port=99999"], '--secure-port must be a port from 0 to 65535, not "99999"', withUsage],
    [["--oidc-issuer-url=https://x"], "--oidc-issuer-url and --oidc-client-id must be given together", noUsage],
  ])("says what is wrong with %j", async (args, says, [exits, count]) => {
    const folder = mkdtempSync(join(tmpdir(), "orch-cli-"));
    try {
      const base = ["--bind-address=127.0.0.1", "--store=memory", "--secure-port=0", `--cert-dir=${folder}`];
      const { code, lines } = await failing("apiserver", ...base, ...args);
      expect([code, lines.length, lines.at(-1)]).toEqual([exits, count, expect.stringContaining(says)]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
