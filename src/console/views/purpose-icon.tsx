/** A sign for each group of kinds, drawn by hand on a grid of sixteen. */

import type { Purpose } from "../state/nav.ts";

const paths: Readonly<Record<Purpose, string>> = {
  Workloads: "M8 1.8 13.6 5v6L8 14.2 2.4 11V5ZM2.4 5 8 8.2 13.6 5M8 8.2v6",
  Network:
    "M8 5.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM3.5 14.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM12.5 14.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 5.3l-2.6 5.4M9 5.3l2.6 5.4M5.5 12.5h5",
  Config: "M2 4.5h7M13 4.5h1M11 2.5v4M2 11.5h1M7 11.5h7M5 9.5v4",
  Storage:
    "M8 6c3 0 5.3-1 5.3-2.2S11 1.6 8 1.6 2.7 2.6 2.7 3.8 5 6 8 6ZM2.7 3.8v8.4C2.7 13.4 5 14.4 8 14.4s5.3-1 5.3-2.2V3.8M2.7 8C2.7 9.2 5 10.2 8 10.2S13.3 9.2 13.3 8",
  Access: "M5.2 14a3.4 3.4 0 1 0 0-6.8 3.4 3.4 0 0 0 0 6.8ZM7.7 8.2 13.5 2.4M11 5l2 2",
  Cluster: "M2 2.5h12v4.5H2ZM2 9h12v4.5H2ZM4.5 4.8h.1M4.5 11.2h.1",
  Custom: "M6 2.5h4v2.2a1.6 1.6 0 1 1 0 3.1V13.5H2.5V9.9a1.6 1.6 0 1 0 0-3.1V2.5ZM10 4.7h3.5v8.8H10",
  API: "M5.5 3.5 1.5 8l4 4.5M10.5 3.5l4 4.5-4 4.5M9 2.5 7 13.5",
};

export const PurposeIcon = ({ purpose }: { readonly purpose: Purpose }) => (
  <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
    <path d={paths[purpose]} />
  </svg>
);
