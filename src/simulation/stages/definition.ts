/** The definition of the kind Stage. Its group has the same name in every vocabulary, as the annotations have. */

import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { ResourceAddress } from "../../client/contract.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { behaviourAnnotations } from "../life/behaviour.ts";
import { stageStates } from "../life/pod-stage.ts";

const group = "simulation.orch.io";

export const stageAddress: ResourceAddress = {
  group,
  version: "v1alpha1",
  resource: "stages",
  kind: "Stage",
  namespaced: false,
};

export const stageDefinitionName = `stages.${group}`;

/** Lists and maps of one stage have at most so many members. */
const membersMax = 100;
const textCharsMax = 4_096;

export function stageDefinition(vocabulary: Vocabulary): CustomResourceDefinition {
  const any = { [vocabulary.word("x-orch-preserve-unknown-fields")]: true };
  const text = { type: "string", maxLength: textCharsMax };
  const duration = { type: "string", maxLength: 64, pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$|^0$" };
  const exitCode = { type: "integer", minimum: 0, maximum: 255 };
  const choice = (...values: readonly string[]) => ({ type: "string", enum: [...values] });
  const list = (items: object) => ({ type: "array", maxItems: membersMax, items });
  const map = (values: object) => ({ type: "object", maxProperties: membersMax, additionalProperties: values });
  const object = (properties: object, ...required: string[]) => ({
    type: "object",
    properties,
    ...(required.length > 0 ? { required } : {}),
  });
  const expression = object(
    { key: text, operator: choice("In", "NotIn", "Exists", "DoesNotExist"), values: list(text) },
    "key",
    "operator",
  );
  const condition = object(
    { type: text, status: choice("True", "False", "Unknown"), reason: text, message: text },
    "type",
    "status",
  );
  const spec = object({
    selector: object({ namespaces: list(text), matchLabels: map(text), matchExpressions: list(expression) }),
    from: choice(...stageStates),
    delay: object({ duration, jitter: duration }),
    next: object({
      phase: choice("Running", "Succeeded", "Failed"),
      reason: text,
      message: text,
      waiting: object({ reason: text, message: text }, "reason"),
      ready: { type: "boolean" },
      exitCode,
      conditions: list(condition),
      delete: { type: "boolean" },
    }),
    behaviour: object(behaviourSchemas({ duration, exitCode, text })),
    terminationMessages: map(text),
    logs: object({ text: { type: "string", maxLength: 64 * 1024 }, every: duration }),
    commands: map(any),
    ports: map(any),
    usage: object({ cpu: text, memory: text }),
  });
  return {
    metadata: {
      name: stageDefinitionName,
      annotations: { [vocabulary.word("api-approved.orch.io")]: "unapproved, served for simulated nodes only" },
    },
    spec: {
      group,
      scope: "Cluster",
      names: { plural: "stages", singular: "stage", kind: "Stage" },
      versions: [
        {
          name: stageAddress.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: object({ spec }, "spec") },
          additionalPrinterColumns: [
            { name: "From", type: "string", jsonPath: ".spec.from" },
            { name: "Delay", type: "string", jsonPath: ".spec.delay.duration" },
            { name: "Jitter", type: "string", jsonPath: ".spec.delay.jitter" },
          ],
        },
      ],
    },
  } as CustomResourceDefinition; // the schema is plain JSON, which the server checks
}

interface MemberSchemas {
  readonly duration: object;
  readonly exitCode: object;
  readonly text: object;
}

/** The members of `behaviour` are the annotations in camel case. `exit` is about one pod, and not for stages. */
function behaviourSchemas({ duration, exitCode, text }: MemberSchemas): Record<string, object> {
  const kinds: Partial<Record<string, object>> = {
    "exit-code": exitCode,
    "init-exit-code": exitCode,
    "never-ready": { type: "boolean" },
    "readiness-fails": text,
    "liveness-fails": text,
    "image-pull-fails": text,
    "termination-message": text,
  };
  const names = Object.keys(behaviourAnnotations).filter((name) => name !== "exit");
  return Object.fromEntries(
    names.map((name) => [
      name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      kinds[name] ?? duration,
    ]),
  );
}
