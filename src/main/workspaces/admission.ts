/** The rules of Workspace objects and their types: names, what cannot change, and who the owner is. */

import type { AdmissionPlugin } from "../../admission/contract.ts";
import { on, plugin, under } from "../../admission/on.ts";
import { Workspace } from "../../api/tenancy/v1alpha1/workspace.ts";
import { WorkspaceType } from "../../api/tenancy/v1alpha1/workspace-type.ts";
import type { User } from "../../machinery/meta/user.ts";
import { type FieldErrors, forbidden, invalid, notFoundValue } from "../../machinery/status/field-error.ts";
import { forbiddenRequest, invalidObject } from "../../machinery/status/status.ts";
import { serverUser } from "../../registry/contract/server-writes.ts";
import { nameProblems } from "./target.ts";

/** Who created a workspace: name of the user as JSON. They administer it. */
const ownerAnnotation = "tenancy.orch.io/owner";
/** Holds a workspace until its objects are removed. */
export const contentFinalizer = "tenancy.orch.io/content";

/** The name of the plugin, which runs at the root only. */
export const rulesName = "Workspaces";

interface Known {
  hasType(name: string): boolean;
  /** Whether the user may make types of what the workspace of that name holds. */
  mayCopy(user: User, name: string): Promise<boolean>;
}

export function createWorkspaceRules(known: () => Known): AdmissionPlugin {
  return plugin(rulesName, [
    on(Workspace, "CREATE", {
      mutate({ object, user }) {
        const { metadata } = object;
        metadata.annotations = { ...metadata.annotations, [ownerAnnotation]: ownerText(user) };
        metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), contentFinalizer])];
      },
      validate({ object }) {
        const { name = "" } = object.metadata;
        refuse(Workspace, name, [...nameProblems(name), ...typeProblems(object.spec?.type, known())]);
      },
    }),
    on(Workspace, "UPDATE", {
      validate({ object, old, user }) {
        if (user === serverUser) return;
        const problems: FieldErrors[] = [];
        const path = `metadata.annotations[${ownerAnnotation}]`;
        const owner = object.metadata.annotations?.[ownerAnnotation];
        if (owner !== old.metadata.annotations?.[ownerAnnotation])
          problems.push([forbidden(path, "cannot be changed")]);
        const isHeld = (finalizers: readonly string[] = []) => finalizers.includes(contentFinalizer);
        if (isHeld(old.metadata.finalizers ?? []) && !isHeld(object.metadata.finalizers ?? []))
          problems.push([forbidden("metadata.finalizers", `${contentFinalizer} is removed by the server`)]);
        refuse(Workspace, object.metadata.name ?? "", problems.flat());
      },
    }),
    on(under(Workspace, "status"), "UPDATE", {
      validate({ object, old, user }) {
        if (user === serverUser || object.status?.base === old.status?.base) return;
        refuse(Workspace, object.metadata.name ?? "", [forbidden("status.base", "is written by the server")]);
      },
    }),
    on(WorkspaceType, ["CREATE", "UPDATE"], {
      async validate({ object, old, user }) {
        const { objects = [], from = "" } = object.spec ?? {};
        if (from !== "" && from !== old?.spec?.from && !(await known().mayCopy(user, from)))
          throw forbiddenRequest(
            { group: WorkspaceType.group, kind: "workspacetypes" },
            object.metadata.name ?? "",
            `the verb copy on workspaces/content "${from}" of ${WorkspaceType.group} is needed to make a type of that workspace`,
          );
        const problems = [
          ...(from !== "" && objects.length > 0
            ? [invalid("spec.from", from, "must not be set together with objects")]
            : []),
          ...(from === "" ? [] : nameProblems(from).map((problem) => ({ ...problem, field: "spec.from" }))),
        ];
        refuse(WorkspaceType, object.metadata.name ?? "", problems);
      },
    }),
  ]);
}

const typeProblems = (type: string | undefined, known: Known): FieldErrors =>
  !type || known.hasType(type) ? [] : [notFoundValue("spec.type", type)];

function refuse(kind: typeof Workspace | typeof WorkspaceType, name: string, problems: FieldErrors): void {
  if (problems.length > 0) throw invalidObject(kind, name, problems);
}

function ownerText({ name, groups }: User): string {
  return JSON.stringify({ name, groups: groups.filter((group) => group !== "system:authenticated") });
}

/** The name of who created a workspace. Undefined: the server itself, or it is not known. */
export function ownerOf({ metadata }: Workspace): string | undefined {
  try {
    const { name } = JSON.parse(metadata.annotations?.[ownerAnnotation] ?? "{}") as { name?: unknown };
    return typeof name === "string" && name !== "" ? name : undefined;
  } catch {
    return undefined;
  }
}
