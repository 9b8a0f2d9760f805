/** How subjects hold a right: their bindings, the roles, the rules. */

import { type Json, part, text } from "../server/json.ts";
import { ListTable } from "./list-table.tsx";

interface PathsOptions {
  readonly title: string;
  readonly paths: readonly Json[];
  readonly isEmptyShown?: boolean;
}

/** How a subject holds a right: its binding, the role, the rule. */
export function Paths({ title, paths, isEmptyShown = false }: PathsOptions) {
  if (paths.length === 0) return isEmptyShown ? <p>No role grants this to anyone.</p> : null;
  return (
    <ListTable
      stacks
      label={title}
      caption={title}
      items={paths}
      keyOf={(_, at) => at}
      columns={[
        { name: "Subject", cell: (path) => <Named of={part(path, "subject")} /> },
        { name: "Binding", cell: (path) => <Named of={part(path, "binding")} /> },
        { name: "Role", cell: (path) => <Named of={part(path, "role")} /> },
        { name: "Rule", cell: (path) => <code>{ruleText(part(path, "rule"))}</code> },
      ]}
    />
  );
}

const Named = ({ of }: { readonly of: Json }) => (
  <>
    {text(of, "kind")} <bdi>{text(of, "name")}</bdi>
    {text(of, "namespace") !== "" && <> in {text(of, "namespace")}</>}
  </>
);

export const ruleText = (rule: Json): string =>
  Object.entries(rule)
    .map(
      ([key, values]) => `${key}: ${Array.isArray(values) ? values.map((one) => String(one) || '""').join(", ") : ""}`,
    )
    .join("; ");
