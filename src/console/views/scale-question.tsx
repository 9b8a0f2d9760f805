/** Changes how many replicas an object wants, by its scale: custom kinds that have one as well. */

import { useEffect, useState } from "preact/hooks";
import type { DiscoveredResource } from "../../client/contract.ts";
import { objectPath, withQuery } from "../../client/requests/address.ts";
import { patchMediaTypes } from "../../machinery/patch/media-types.ts";
import { type Json, text } from "../server/json.ts";
import { Waiting } from "./notes.tsx";
import type { Page } from "./page.ts";
import { Question } from "./question.tsx";
import { remembered } from "./remembered.ts";

interface ScaleQuestionOptions {
  readonly page: Page;
  readonly resource: DiscoveredResource;
  readonly object: Json;
  readonly onClose: () => void;
}

export function ScaleQuestion({ page, resource, object, onClose }: ScaleQuestionOptions) {
  const [name, namespace] = [text(object, "metadata", "name"), text(object, "metadata", "namespace")];
  const path = objectPath(resource, { name, namespace }, "scale");
  const [now, setNow] = useState<string | undefined>(undefined);
  const [wanted, setWanted] = useState("");
  useEffect(() => {
    page.connection.send.json(path).then(
      (scale) => {
        const replicas = text(scale, "spec", "replicas") || "0";
        setNow(replicas);
        setWanted(replicas);
      },
      // The field says how many there are to be; how many there are is shown on the page.
      () => setNow(""),
    );
  }, []);
  const scale = () =>
    remembered(page, { what: "Scaled", resource, name, namespace }, () =>
      page.connection.write.open(withQuery(path, { fieldManager: "console" }), {
        method: "PATCH",
        body: { spec: { replicas: Number(wanted) } },
        contentType: patchMediaTypes.merge,
      }),
    );
  return (
    <Question title={`Scale ${resource.kind}`} act={`Scale ${name}`} onConfirm={scale} onClose={onClose}>
      {now === undefined ? (
        <Waiting what="its replicas" />
      ) : (
        <p>
          <label>
            Replicas of <bdi>{name}</bdi>
            {now !== "" && `, which are ${now} now`}{" "}
            <input
              type="number"
              min={0}
              step={1}
              required
              value={wanted}
              onInput={(event) => setWanted(event.currentTarget.value)}
            />
          </label>
        </p>
      )}
    </Question>
  );
}
