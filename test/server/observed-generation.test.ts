import { expect, test } from "vitest";
import { CustomResourceDefinition } from "../../src/api/apiextensions/v1/custom-resource-definition.ts";
import { withControllers } from "../../src/controllers/scenario.suite.ts";

const name = "toys.example.com";
const definition = () => ({
  metadata: { name },
  spec: {
    group: "example.com",
    names: { plural: "toys", kind: "Toy" },
    scope: "Cluster",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});
type Definition = CustomResourceDefinition;
const conditionsOf = ({ status }: Definition) => status?.conditions ?? [];
const isEstablished = (object: Definition) => conditionsOf(object).some(({ type }) => type === "Established");
const told = { observedGeneration: 7, conditions: [{ type: "Own", status: "True", observedGeneration: 7 }] };

test("the status of a definition does not tell its generation, and does not take one, while the feature is off", () =>
  withControllers(
    [],
    async ({ client, create, until }) => {
      await create(CustomResourceDefinition, definition() as Definition);
      const { status } = await until(CustomResourceDefinition, { name }, isEstablished);
      expect(status?.observedGeneration).toBeUndefined();
      const crds = client.of(CustomResourceDefinition);
      const written = await crds.patch({ name }, { status: told }, { subresource: "status" });
      expect(written.status?.observedGeneration).toBeUndefined();
      expect(conditionsOf(written).every(({ observedGeneration }) => observedGeneration === undefined)).toBe(true);
    },
    { server: { emulatedVersion: "1.35" } },
  ));

test("with the feature on, the status follows each generation", () =>
  withControllers(
    [],
    async ({ client, create, until }) => {
      await create(CustomResourceDefinition, definition() as Definition);
      const follows = (generation: number) => (object: Definition) =>
        isEstablished(object) &&
        object.status?.observedGeneration === generation &&
        conditionsOf(object).every(({ observedGeneration }) => observedGeneration === generation);
      await until(CustomResourceDefinition, { name }, follows(1));
      const spec = { names: { categories: ["all"] } };
      await client.of(CustomResourceDefinition).patch({ name }, { spec });
      await until(CustomResourceDefinition, { name }, follows(2));
    },
    { server: { emulatedVersion: "1.35" }, featureGates: { CRDObservedGenerationTracking: true } },
  ));
