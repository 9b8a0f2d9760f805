/** Asks before an object is deleted. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { type Json, parts, text } from "../server/json.ts";
import { deleteObject } from "../server/objects.ts";
import type { Page } from "./page.ts";
import { Question } from "./question.tsx";

interface DeleteQuestionOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
  readonly onClose: () => void;
}

export function DeleteQuestion({ page, resource, object, onClose }: DeleteQuestionOptions) {
  const [name = "", namespace = "", uid = ""] = ["name", "namespace", "uid"].map((key) =>
    text(object, "metadata", key),
  );
  return (
    <Question
      title={`Delete ${resource.kind}`}
      act={`Delete ${name}`}
      isDangerous
      onConfirm={async () => {
        await deleteObject(page.connection, resource, { name, namespace, uid });
        if (mayReturn(resource, object))
          page.writes.made({ what: "Deleted", resource, namespace, name, before: "", deleted: [object] });
      }}
      onClose={onClose}
    >
      <p>
        Delete{" "}
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {namespace !== "" && <> in {namespace}</>}? Objects that it owns are deleted with it.
      </p>
    </Question>
  );
}

/** Whether it can be created as it was: what something else makes again is left to it. */
export const mayReturn = (resource: DiscoveredResource, object: Json): boolean =>
  resource.verbs.includes("create") && parts(object, "metadata", "ownerReferences").length === 0;
