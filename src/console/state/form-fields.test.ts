import { describe, expect, test } from "vitest";
import { Schemas } from "../server/schemas.ts";
import { documentsIn } from "./documents.ts";
import { formFieldsMax, formOf, withField } from "./form-fields.ts";
import { yamlLines } from "./yaml-lines.ts";

const text = { type: "string" };
const schema = {
  type: "object",
  properties: {
    apiVersion: text,
    kind: text,
    metadata: {
      type: "object",
      properties: { name: text, uid: text, labels: { type: "object", additionalProperties: text } },
    },
    spec: {
      type: "object",
      required: ["selector"],
      properties: {
        replicas: { type: "integer" },
        paused: { type: "boolean" },
        selector: { type: "object", properties: { app: text } },
        ports: {
          type: "array",
          items: {
            type: "object",
            required: ["port"],
            properties: {
              port: { type: "integer" },
              targetPort: { type: "string", format: "int-or-string" },
              name: text,
            },
          },
        },
      },
    },
    status: { type: "object", properties: { phase: text } },
  },
};
const schemas = new Schemas({});
const whole = `apiVersion: v1
kind: Service
metadata:
  name: web # mine
  labels:
    app: "1"
spec:
  ports:
  - port: 80
    name: http
  selector: {}
`;

function open(yaml: string) {
  const lines = yamlLines(yaml);
  const [document] = documentsIn(yaml, lines);
  if (document === undefined) throw new Error("there is no document");
  const groups = formOf(document, schemas, schema);
  const change = (path: string, value: string) => {
    const field = groups.flatMap(({ fields }) => fields).find((one) => one.path.join(".") === path);
    return withField(lines, document, field ?? { path: path.split("."), isNumber: false }, value);
  };
  return { groups, change };
}

describe("the form of a text", () => {
  test("has what is there, what must be, and the plain fields of the specification", () => {
    const shown = open(whole).groups.map(({ title, fields }) => [
      title,
      fields.map(({ path, value }) => `${path.join(".")}=${value}`),
    ]);
    expect(shown).toEqual([
      ["metadata", ["metadata.name=web", "metadata.labels.app=1"]],
      ["spec", ["spec.replicas=", "spec.paused="]],
      ["spec.ports[0]", ["spec.ports.0.port=80", "spec.ports.0.name=http"]],
    ]);
  });

  test("leaves values in other forms to the text", () => {
    const [group] = open("kind: Service\nmetadata:\n  name: |\n    a\n    b\n").groups;
    expect(group?.fields[0]).toMatchObject({ value: "", isEditable: false });
  });

  test("has a limit", () => {
    const labels = Array.from({ length: 2 * formFieldsMax }, (_, at) => `    k${at}: v\n`).join("");
    const { groups } = open(`kind: Service\nmetadata:\n  labels:\n${labels}`);
    expect(groups.flatMap(({ fields }) => fields)).toHaveLength(formFieldsMax);
  });
});

describe("a field of the form changes the text", () => {
  test.each([
    ["a value", "spec.ports.0.port", "8080", "  - port: 8080\n    name: http"],
    ["a text that would be a number", "metadata.labels.app", "2", '    app: "2"\n'],
    ["a text that would be something else", "spec.ports.0.name", "yes", '    name: "yes"\n'],
    ["a field that was not there", "spec.replicas", "3", "  selector: {}\n  replicas: 3\n"],
    ["a field inside an empty object", "spec.selector.app", "web", "  selector:\n    app: web\n"],
    ["a field that is removed", "spec.ports.0.name", "", "  - port: 80\n  selector: {}"],
    ["objects around it that were not there", "status.phase", "Ready", "  selector: {}\nstatus:\n  phase: Ready\n"],
  ])("%s", (_, path, value, part) => {
    expect(open(whole).change(path, value)).toContain(part);
  });

  test("and nothing where only somebody who edits the text can", () => {
    expect(open("kind: Service\nspec: { replicas: 1 }\n").change("spec.paused", "true")).toBe(undefined);
    expect(open(whole).change("spec.paused", "")).toBe(undefined);
  });
});
