import { describe, expect, test } from "vitest";
import { tableRow } from "../../machinery/table/table.ts";
import { catalog } from "../catalog.ts";
import { bindVersions, create, show } from "../life.suite.ts";
import { localServices } from "./local-services.ts";
import { APIService } from "./v1/api-service.ts";
import { groupPriorityMax, versionPriorityMax } from "./v1/api-service-spec.ts";

const kind = bindVersions([APIService]).version("v1");
const service = { namespace: "a", name: "b" };
const spec = { group: "g.example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 10, service };
const problemsOf = (given: object, name = "v1.g.example.com") =>
  create(kind, { metadata: { name }, spec: { ...spec, ...given } }).problems;

test("an API service does not support generateName", () => {
  const metadata = { generateName: "v1.g.example.com-", name: "v1.g.example.com-x" };
  expect(create(kind, { metadata, spec }).problems).toEqual(["Invalid metadata.generateName", "Invalid metadata.name"]);
});

describe("an API service", () => {
  const cases = [
    { why: "may skip checks", given: { insecureSkipTLSVerify: true }, problems: [] },
    { why: "must be named VERSION.GROUP", given: {}, name: "x", problems: ["Invalid metadata.name"] },
    {
      why: "must have a valid version",
      given: { version: "V_1" },
      name: "V_1.g.example.com",
      problems: ["Invalid spec.version"],
    },
    {
      why: "must have a group, except for v1",
      given: { group: "", version: "v2" },
      name: "v2.",
      problems: ["Required spec.group"],
    },
    { why: "must have a valid group", given: { group: "b..x" }, name: "v1.b..x", problems: ["Invalid spec.group"] },
    {
      why: "must have priorities",
      given: { groupPriorityMinimum: 0, versionPriority: 0 },
      problems: ["Invalid spec.groupPriorityMinimum", "Invalid spec.versionPriority"],
    },
    {
      why: "has bounded priorities",
      given: { groupPriorityMinimum: groupPriorityMax + 1, versionPriority: versionPriorityMax + 1 },
      problems: ["Invalid spec.groupPriorityMinimum", "Invalid spec.versionPriority"],
    },
    {
      why: "must have a complete service reference",
      given: { service: { port: 0 } },
      problems: ["Invalid spec.service.port", "Required spec.service.name", "Required spec.service.namespace"],
    },
    {
      why: "has either a CA bundle or insecureSkipTLSVerify",
      given: { insecureSkipTLSVerify: true, caBundle: "Zm9v" },
      problems: ["Invalid spec.insecureSkipTLSVerify"],
    },
    {
      why: "must not have trust settings for the server itself",
      given: { service: null, insecureSkipTLSVerify: true, caBundle: "Zm9v" },
      problems: ["Invalid spec.caBundle", "Invalid spec.insecureSkipTLSVerify"],
    },
  ];
  for (const { why, given, name, problems } of cases)
    test(why, () => expect(problemsOf(given, name)).toEqual(problems));

  test("of the server itself is available from the start, whatever its status in the body", () => {
    const local = create(kind, { metadata: { name: "v1.g.example.com" }, spec: { ...spec, service: null } });
    expect(local.object["status"]).toMatchObject({
      conditions: [{ type: "Available", status: "True", reason: "Local" }],
    });
    expect(tableRow(kind, local.object, kind.family.environment).slice(1, 3)).toEqual(["Local", "True"]);
    const remote = create(kind, { metadata: { name: "v1.g.example.com" }, spec });
    expect(tableRow(kind, remote.object, kind.family.environment).slice(1, 3)).toEqual(["a/b", "Unknown"]);
  });

  test("has conditions with the status True, False or Unknown", () => {
    const { hub } = create(kind, { metadata: { name: "v1.g.example.com" }, spec });
    const next = { ...hub, status: { conditions: [{ type: "Available", status: "Maybe" }] } };
    const validate = kind.subresources.get("status")?.validate;
    expect(show(validate?.(next, hub, kind.family.environment) ?? [])).toEqual([
      "NotSupported status.conditions[0].status",
    ]);
  });
});

test("every group and version of the catalog has a local service, but for the kinds of API services themselves", () => {
  const known = new Set(localServices.map(({ group, version }) => `${group}/${version}`));
  const without = new Set(["apiregistration.orch.io", "access.orch.io"]);
  const served = catalog.filter(({ group, resource }) => resource !== "" && !without.has(group));
  for (const { group, version } of served) expect(known, `${group}/${version}`).toContain(`${group}/${version}`);
});
