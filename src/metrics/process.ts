/** Metrics about the process itself. */

import { counter, gauge, histogram } from "./declare.ts";

export const buildInfo = gauge(
  "orch_build_info",
  ["major", "minor", "git_version", "git_commit", "git_tree_state", "build_date", "go_version", "compiler", "platform"],
  "Always 1; the labels show the version. go_version is the version of Node.",
);

export const featureEnabled = gauge(
  "orch_feature_enabled",
  ["name", "stage"],
  "1 for a feature gate that is on, 0 for one that is off, by its stage; since level 1.26.",
);

export const cpuSeconds = counter("process_cpu_seconds_total", [], "Processor time that was used, in seconds.");
export const fileLimit = gauge("process_max_fds", [], "File descriptors that the process may have open.");
export const openFiles = gauge("process_open_fds", [], "File descriptors that are open.");
export const residentBytes = gauge("process_resident_memory_bytes", [], "Physical memory in use, in bytes.");
export const startTime = gauge("process_start_time_seconds", [], "When the process began, in seconds since 1970.");
export const virtualBytes = gauge("process_virtual_memory_bytes", [], "Virtual memory in use, in bytes.");
export const virtualLimit = gauge("process_virtual_memory_max_bytes", [], "Virtual memory that may be used, in bytes.");

export const eventLoopDelay = histogram(
  "orch_event_loop_delay_seconds",
  [],
  [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  "How much later than due a timer ran, in seconds, sampled ten times a second, or once while the process is idle.",
);

export const eventLoopActive = counter(
  "orch_event_loop_active_seconds_total",
  [],
  "How long the event loop was busy, in seconds; its rate is the utilization.",
);
