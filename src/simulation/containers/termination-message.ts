/** What a container says about its end: the file that it has written for this, or the end of its log. */

import type { Container } from "../../api/core/v1/pod/container.ts";
import { FileError, type Files } from "../shell/host.ts";
import type { ContainerLog } from "./container-log.ts";

/** As real agents: of the file, and of the log where it is used instead. */
export const messageBytesMax = 4_096;
export const messageLogBytesMax = 2_048;
export const messageLogLinesMax = 80;

/** Undefined: nothing. */
export function terminationMessage(
  { terminationMessagePath = "/dev/termination-log", terminationMessagePolicy }: Container,
  exitCode: number,
  files: Pick<Files, "read">,
  log: ContainerLog,
): string | undefined {
  const written = readable(files, terminationMessagePath)?.subarray(0, messageBytesMax).toString() ?? "";
  if (written !== "") return written;
  if (terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0) return undefined;
  let text = "";
  for (let at = log.count - 1; at >= Math.max(log.first, log.count - messageLogLinesMax); at--)
    text = `${log.line(at)?.text ?? ""}${log.line(at)?.isOpen ? "" : "\n"}${text}`;
  return text === "" ? undefined : Buffer.from(text).subarray(-messageLogBytesMax).toString();
}

/** The files of a container that has written none are made when they are first read, which the limit of its pod may refuse. */
function readable(files: Pick<Files, "read">, path: string): Buffer | undefined {
  try {
    return files.read(path);
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}
