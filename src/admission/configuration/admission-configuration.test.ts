import { describe, expect, test } from "vitest";
import { elided, int32, list, type Static, string, struct } from "../../machinery/schema/build.ts";
import { kubernetes } from "../../vocabulary/kubernetes.ts";
import { orch } from "../../vocabulary/orch.ts";
import { parseAdmissionConfiguration } from "./admission-configuration.ts";
import { type ConfigurationKind, readConfiguration } from "./configuration-kind.ts";
import { operatorFile } from "./operator-file.ts";

/** Parses a file in /etc/orch beside `others`. */
function parse(text: string, others: Readonly<Record<string, string>> = {}, vocabulary = orch) {
  const read = (path: string) => {
    const found = others[path];
    if (found === undefined) throw new Error(`cannot read ${path}: there is no such file`);
    return found;
  };
  const file = operatorFile("/etc/orch/admission.yaml", text, read);
  return parseAdmissionConfiguration(file, { vocabulary, isPlugin: (name) => !name.startsWith("No") });
}

const head = "apiVersion: apiserver.config.orch.io/v1\nkind: AdmissionConfiguration\n";

describe("the file of --admission-control-config-file", () => {
  test("an inline configuration is passed on unchanged", () => {
    const of = parse(`${head}plugins:\n- name: A\n  configuration: {limits: [{type: Server}]}\n`);
    expect(of("A")?.value).toEqual({ limits: [{ type: "Server" }] });
    expect(of("B")).toBeUndefined();
  });

  test("the earlier version is accepted", () => {
    const of = parse(
      "apiVersion: apiserver.orch.io/v1alpha1\nkind: AdmissionConfiguration\nplugins: [{name: A, configuration: {a: 1}}]",
    );
    expect(of("A")?.value).toEqual({ a: 1 });
  });

  test("a server of another vocabulary accepts its own names", () => {
    const text = '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"AdmissionConfiguration"}';
    expect(parse(text, {}, kubernetes)("A")).toBeUndefined();
    expect(() => parse(text)).toThrow(/apiVersion and kind must be one of apiserver.config.orch.io\/v1/);
  });

  test("a path is relative to the file, and files it names are relative to it", () => {
    const others = { "/etc/orch/more/a.yaml": "client: c.conf", "/etc/orch/more/c.conf": "text" };
    const found = parse(`${head}plugins: [{name: A, path: more/a.yaml}]`, others)("A");
    expect(found?.value).toEqual({ client: "c.conf" });
    expect(found?.file.open("c.conf").text).toBe("text");
  });

  test("an inline configuration wins over a path, and the first entry over later ones", () => {
    const of = parse(
      `${head}plugins: [{name: A, path: gone, configuration: {size: 1}}, {name: A, configuration: {size: 2}}]`,
    );
    expect(of("A")?.value).toEqual({ size: 1 });
  });

  test("an entry without either configures nothing", () => {
    expect(parse(`${head}plugins: [{name: A}]`)("A")).toBeUndefined();
  });

  test("a file without apiVersion and kind is accepted for the two plugins that are older than the format", () => {
    const of = parse("imagePolicy: {allowTTL: 1}");
    expect(of("ImagePolicyWebhook")?.value).toEqual({ imagePolicy: { allowTTL: 1 } });
    expect(of("PodNodeSelector")?.value).toEqual({ imagePolicy: { allowTTL: 1 } });
    expect(of("EventRateLimit")).toBeUndefined();
  });

  const refused: [why: string, text: string, message: RegExp][] = [
    ["no YAML", "{", /^\/etc\/orch\/admission.yaml: /],
    ["a list", "- a", /must be an object/],
    ["another kind", "apiVersion: v1\nkind: Pod", /apiVersion and kind must be one of/],
    ["an unknown field", `${head}plugin: []`, /unknown field "plugin"/],
    ["an unknown nested field", `${head}plugins: [{name: A, file: b}]`, /unknown field "plugins\[0\].file"/],
    ["an unknown plugin", `${head}plugins: [{name: Nope}]`, /plugins\[0\]: there is no admission plugin "Nope"/],
    ["a missing file", `${head}plugins: [{name: A, path: b.yaml}]`, /cannot read \/etc\/orch\/b.yaml/],
  ];
  for (const [why, text, message] of refused) {
    test(`is refused with the path of the error: ${why}`, () => expect(() => parse(text)).toThrow(message));
  }
});

describe("the configuration of a plugin", () => {
  const schema = struct("test.Limits", {
    limits: elided(list(struct("test.Limit", { type: string(), qps: elided(int32()) }))),
  });
  const Limits: ConfigurationKind<Static<typeof schema>> = {
    versions: [{ apiVersion: "limits.admission.orch.io/v1", kind: "Limits" }],
    schema,
  };
  const read = (value: unknown, vocabulary = orch) =>
    readConfiguration(Limits, { where: "a.yaml", value, file: operatorFile("a.yaml", "", String) }, vocabulary);
  const named = { apiVersion: "limits.admission.orch.io/v1", kind: "Limits" };

  test("is read by its declaration", () => {
    expect(read({ ...named, limits: [{ type: "Server", qps: 3 }] })).toEqual({ limits: [{ type: "Server", qps: 3 }] });
    expect(read({ ...named, apiVersion: "limits.admission.k8s.io/v1" }, kubernetes)).toEqual({});
  });

  const refused: [why: string, value: unknown, message: RegExp][] = [
    ["nothing", null, /^a.yaml: must be an object$/],
    ["no version", { limits: [] }, /must be one of limits.admission.orch.io\/v1 Limits/],
    ["a type that does not fit", { ...named, limits: [{ type: 3 }] }, /^a.yaml: .*limits\[0\].type/],
    ["an unknown field", { ...named, limits: [{ type: "a" }, { typo: 1 }] }, /unknown field "limits\[1\].typo"/],
  ];
  for (const [why, value, message] of refused) {
    test(`is refused: ${why}`, () => expect(() => read(value)).toThrow(message));
  }
});
