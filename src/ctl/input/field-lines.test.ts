import { expect, test } from "vitest";
import { lineOfField, parseFieldPath } from "./field-lines.ts";

const yaml = `# a comment
apiVersion: apps/v1
metadata:
  name: web
  labels:
    app.example.com/name: "x"
spec:
  replicas: -1

  template:
    spec:
      containers:
      - name: a
        image: ""
      -   name: b
          ports:
            - containerPort: 0
            - containerPort: 1
              name: x
      script: |
        image: not a field
      volumes: [{name: v}]
      'last': 1
`;

for (const { field, line, why = "a key of its own" } of [
  { field: "apiVersion", line: 1 },
  { field: "metadata.labels[app.example.com/name]", line: 5 },
  { field: "spec.replicas", line: 7 },
  { field: "spec.template.spec.containers[0].image", line: 13 },
  { field: "spec.template.spec.containers[1].name", line: 14 },
  { field: "spec.template.spec.containers[1].image", line: 14, why: "a missing field is on the line of its item" },
  { field: "spec.template.spec.containers[1].ports[0].containerPort", line: 16 },
  { field: "spec.template.spec.containers[1].ports[1].name", line: 18 },
  { field: "spec.template.spec.image", line: 10, why: "lines of a text are no fields" },
  { field: "spec.template.spec.volumes[0].name", line: 21, why: "flow style has no lines of its own" },
  { field: "spec.template.spec.last", line: 22, why: "a key may be quoted" },
  { field: "status.phase", line: 1, why: "nothing around it is there" },
])
  test(`${field}: ${why}`, () => expect(lineOfField(yaml, parseFieldPath(field))).toBe(line));

test("JSON on several lines has lines too", () => {
  const json = JSON.stringify(
    { kind: "Pod", spec: { containers: [{ name: "a" }, { name: "b", image: "" }] } },
    null,
    2,
  );
  const lines = json.split("\n");
  expect(lines[lineOfField(json, parseFieldPath("spec.containers[1].image"))]).toContain('"image": ""');
  expect(lines[lineOfField(json, parseFieldPath("spec.containers[0].name"))]).toContain('"name": "a"');
});
