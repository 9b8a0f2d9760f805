/** Says what was written last, and takes it back after a question that shows what would change. */

import { useEffect, useState } from "preact/hooks";
import { unifiedDiff } from "../../base/unified-diff.ts";
import type { Connection } from "../server/connection.ts";
import { readYaml, writeYaml } from "../server/objects.ts";
import { asChangeOf, type LastWrite, type LastWrites, withoutVersion } from "../state/last-write.ts";
import { objectOf } from "../state/route.ts";
import { withoutManagedFields } from "../state/yaml-text.ts";
import { CreateAgain } from "./create-again.tsx";
import { DiffView } from "./diff-view.tsx";
import { ErrorNote, Waiting } from "./notes.tsx";
import { Question } from "./question.tsx";
import { isSecret } from "./yaml-view.tsx";

interface UndoBarOptions {
  readonly connection: Connection;
  readonly writes: LastWrites;
}

export function UndoBar({ connection, writes }: UndoBarOptions) {
  const [write, setWrite] = useState<LastWrite | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => writes.listen(setWrite), [writes]);
  if (write === undefined) return null;
  const { resource, namespace, name, deleted = [] } = write;
  return (
    <div class="undo" role="status">
      <p>
        {write.what}{" "}
        {deleted.length > 1 ? (
          `${deleted.length} ${resource.resource}`
        ) : (
          <a href={objectOf(resource, { namespace, name })}>
            {resource.kind} <bdi>{name}</bdi>
          </a>
        )}
        .
      </p>
      <button type="button" onClick={() => setAsking(true)}>
        Undo …
      </button>
      <button type="button" aria-label="Dismiss what was written" onClick={writes.clear}>
        ×
      </button>
      {isAsking && deleted.length > 0 && (
        <CreateAgain
          connection={connection}
          resource={resource}
          objects={deleted}
          onDone={writes.clear}
          onClose={() => setAsking(false)}
        />
      )}
      {isAsking && deleted.length === 0 && (
        <UndoQuestion connection={connection} write={write} onDone={writes.clear} onClose={() => setAsking(false)} />
      )}
    </div>
  );
}

interface UndoQuestionOptions {
  readonly connection: Connection;
  readonly write: LastWrite;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function UndoQuestion({ connection, write, onDone, onClose }: UndoQuestionOptions) {
  const { resource, namespace, name, before } = write;
  const ref = { namespace, name };
  const [now, setNow] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    readYaml(connection, resource, ref).then((yaml) => setNow(withoutManagedFields(yaml)), setError);
  }, []);
  const undo = async () => {
    if (now === undefined) return;
    await writeYaml(connection, resource, ref, { content: asChangeOf(before, now), isDryRun: false });
    onDone();
  };
  const diff = now === undefined ? "" : unifiedDiff(withoutVersion(now), withoutVersion(before));
  return (
    <Question title={`Undo the change of ${name}`} act="Write it as it was" onConfirm={undo} onClose={onClose}>
      {error !== undefined && <ErrorNote error={error} />}
      {now === undefined && error === undefined && <Waiting what={name} />}
      {now !== undefined && diff === "" && <p>It is as it was: nothing would change.</p>}
      {diff !== "" && (
        <>
          <p>What is there now becomes what was there before, also where others have changed it since:</p>
          {isSecret(resource) ? <p class="note">The values of a secret are not shown.</p> : <DiffView diff={diff} />}
        </>
      )}
    </Question>
  );
}
