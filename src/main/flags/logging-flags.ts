/** The flags about logs that every process of v1.21 has. */

import { bool, choice, duration, int, string } from "../../base/flags/flag.ts";

const logFiles = { pending: "logs go to standard error" };

/** `levels`: what the numbers of -v mean. */
export const loggingFlags = (levels: string) => ({
  v: int(`how much to log: ${levels}`),
  "log-format": choice(
    ["", "json", "text"],
    "text for people or json for programs; empty: text on a terminal, else json",
    "",
    { aliases: ["logging-format"] },
  ),
  "experimental-logging-sanitization": bool("", false, { pending: "credentials are never logged" }),
  "add-dir-header": bool("", false, logFiles),
  alsologtostderr: bool("", false, logFiles),
  logtostderr: bool("", true, logFiles),
  "log-backtrace-at": string("", ":0", logFiles),
  "log-dir": string("", "", logFiles),
  "log-file": string("", "", logFiles),
  "log-file-max-size": int("", 1800, logFiles),
  "log-flush-frequency": duration("", 5_000, logFiles),
  "one-output": bool("", false, logFiles),
  "skip-headers": bool("", false, logFiles),
  "skip-log-headers": bool("", false, logFiles),
  stderrthreshold: string("", "2", logFiles),
  vmodule: string("", "", logFiles),
});
