import { describe, expect, test } from "vitest";
import { parseFlags } from "../../base/flags/parse.ts";
import { apiserverFlags } from "../flags/apiserver-flags.ts";
import { runFlags } from "../flags/small-commands.ts";
import { upFlags } from "../flags/up-flags.ts";
import { introduction } from "./up.ts";
import { withHistory, withStrictness } from "./up-choices.ts";

const strict = (...args: string[]) => withStrictness(parseFlags(apiserverFlags, args).values);

describe("`orch up` is strict (B05 in docs/security-rows.md)", () => {
  test("node agents are restricted, whatever other plugins are enabled", () => {
    expect(strict()["enable-admission-plugins"]).toEqual(["NodeRestriction", "DenyServiceExternalIPs"]);
    const more = strict("--enable-admission-plugins=NodeRestriction,AlwaysPullImages");
    expect(more["enable-admission-plugins"]).toEqual(["NodeRestriction", "AlwaysPullImages", "DenyServiceExternalIPs"]);
    expect(strict("--disable-admission-plugins=NodeRestriction")["enable-admission-plugins"]).toEqual([
      "DenyServiceExternalIPs",
    ]);
  });

  test("the additional access reviews are served in orch's vocabulary, unless turned off", () => {
    const served = (...args: string[]) => strict(...args)["runtime-config"].get("access.orch.io/v1alpha1");
    expect(served()).toBe("true");
    expect(served("--runtime-config=access.orch.io/v1alpha1=false")).toBe("false");
    expect(served("--vocabulary=kubernetes")).toBeUndefined();
  });
});

test("`orch up` allows privileged containers, as distributions do, and `orch apiserver` as the reference where it is told to", () => {
  expect(parseFlags(upFlags, []).values["allow-privileged"]).toBe(true);
  expect(parseFlags(upFlags, ["--allow-privileged=false"]).values["allow-privileged"]).toBe(false);
  expect(parseFlags(apiserverFlags, []).values["allow-privileged"]).toBe(false);
});

test("`--port` is the port of `orch up` and `orch run`, and a flag without effect of `orch apiserver`, as in v1.21", () => {
  expect(parseFlags(upFlags, ["--port=7443"]).values["secure-port"]).toBe(7443);
  expect(parseFlags(runFlags, ["--port=7443"]).values["secure-port"]).toBe(7443);
  const { values, warnings } = parseFlags(apiserverFlags, ["--port=7443"]);
  expect(values["secure-port"]).toBe(6443);
  expect(warnings.join()).toContain("This flag has no effect now");
});

test("`orch up` keeps a day of history where its store can, and `orch apiserver` none", () => {
  const kept = (...args: string[]) => {
    const { values, given } = parseFlags(upFlags, args);
    return withHistory(values, given).history;
  };
  expect(kept()).toMatchObject({ ageMs: 86_400_000, bytesMax: 268_435_456 });
  expect(kept("--store=memory").bytesMax).toBe(268_435_456);
  for (const none of [
    "--history=",
    "--kvstore-servers=http://127.0.0.1:2379",
    "--store=postgres://u@h/d",
    "--read-only",
  ])
    expect(kept(none)).toMatchObject({ ageMs: 0, bytesMax: 0 });
  expect(kept("--kvstore-servers=http://127.0.0.1:2379", "--history=1h").ageMs).toBe(3_600_000);
  expect(parseFlags(apiserverFlags, []).values.history.bytesMax).toBe(0);
});

describe("the output of `orch up`", () => {
  const says = (...args: string[]) =>
    introduction({ url: "https://127.0.0.1:6443" }, parseFlags(upFlags, args).values, "node bin/orch");

  test("commands can be pasted, whatever the folder is called", () => {
    expect(says("--data-dir=/data/my orch")).toContain("export KUBECONFIG='/data/my orch/admin.conf'\n");
    expect(says("--data-dir=/data/it's")).toContain("node bin/orch user jane --data-dir='/data/it'\\''s' --out=");
    expect(says("--data-dir=/data/orch")).toContain("export KUBECONFIG=/data/orch/admin.conf\n");
    expect(says("--data-dir=/a b", "--vocabulary=kubernetes")).toContain("export KUBECONFIG='/a b/admin.conf'");
  });

  test("the commands use ctl, or kubectl if the server speaks its names", () => {
    expect(says()).toContain("    node bin/ctl get namespaces\n");
    expect(says()).toContain("node bin/ctl create rolebinding jane");
    expect(says("--vocabulary=kubernetes")).not.toContain("ctl get namespaces\n    node");
    expect(says("--vocabulary=kubernetes")).toContain("kubectl create rolebinding jane");
  });

  test("it says what the server is like", () => {
    expect(says()).toContain("orch serves https://127.0.0.1:6443 like orch-1.21\n");
    expect(says()).toContain("other existing clients need --like=kubernetes-1.37");
    expect(says("--like=kubernetes-1.37")).toContain("orch serves https://127.0.0.1:6443 like kubernetes-1.37\n");
    expect(says("--like=kubernetes-1.37")).toContain("kubectl create rolebinding jane");
  });

  test("it has the link of the console, if there is one", () => {
    const consoleUrl = "http://127.0.0.1:1/#secret=x";
    const flags = parseFlags(upFlags, []).values;
    expect(introduction({ url: "https://a", consoleUrl }, flags, "orch")).toContain(
      `console in a browser   ${consoleUrl}\n`,
    );
    expect(says()).not.toContain("console in a browser");
  });

  test("it names the actual location of the objects", () => {
    const place = (...args: string[]) => /objects are kept in +(.*)/.exec(says(...args))?.[1];
    expect(place("--data-dir=/data")).toBe("/data");
    expect(place("--data-dir=/data", "--store=memory")).toBe("memory, until it stops");
    expect(place("--data-dir=/data", "--etcd-servers=http://a:1,http://b:1")).toBe("http://a:1, http://b:1");
  });
});
