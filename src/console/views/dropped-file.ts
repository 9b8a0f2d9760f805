/** A file that is dropped anywhere on the page becomes the text of new objects. */

import { useEffect, useState } from "preact/hooks";
import type { Connection } from "../server/connection.ts";
import type { Notices } from "../state/notices.ts";
import { readFile } from "./create.tsx";

export interface DroppedFile {
  readonly text: string;
  /** Another one begins a new text. */
  readonly number: number;
}

export function useDroppedFile({ facts }: Connection, notices: Notices): DroppedFile | undefined {
  const [dropped, setDropped] = useState<DroppedFile | undefined>(undefined);
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      const [file] = event.dataTransfer?.files ?? [];
      if (file === undefined) return;
      event.preventDefault();
      if (facts.isReadOnly) return notices.add("The console is read-only: files are not applied.");
      readFile(file).then(
        (text) => {
          setDropped((before) => ({ text, number: (before?.number ?? 0) + 1 }));
          location.hash = "#/create";
        },
        (error: unknown) => notices.add(error instanceof Error ? error.message : String(error)),
      );
    };
    addEventListener("dragover", onOver);
    addEventListener("drop", onDrop);
    return () => {
      removeEventListener("dragover", onOver);
      removeEventListener("drop", onDrop);
    };
  }, []);
  return dropped;
}
