/** A curve over time with its axes, its unit and its latest value. */

import { useRef, useState } from "preact/hooks";
import { byteTicksUpTo, spanText, ticksUpTo } from "../state/axis.ts";

interface Point {
  readonly atMs: number;
  readonly value: number;
}

export interface ChartOptions {
  readonly title: string;
  /** "requests a second"; in bytes the figures have their own. */
  readonly unit: string;
  readonly points: readonly Point[];
  /** The whole span of the axis, also while there are few points. */
  readonly spanMs: number;
  readonly format: (value: number) => string;
  readonly isBytes?: boolean;
}

const [width, height] = [360, 150];
const [left, right, top, bottom] = [52, 8, 8, 22];

export function Chart({ title, unit, points, spanMs, format, isBytes = false }: ChartOptions) {
  const svg = useRef<SVGSVGElement>(null);
  const [pointed, setPointed] = useState<Point | undefined>(undefined);
  const largest = Math.max(...points.map(({ value }) => value), 0);
  const ticks = isBytes ? byteTicksUpTo(largest) : ticksUpTo(largest);
  const highest = ticks.at(-1) ?? 1;
  const endMs = points.at(-1)?.atMs ?? 0;
  const x = (atMs: number) => left + (1 - (endMs - atMs) / spanMs) * (width - left - right);
  const y = (value: number) => top + (1 - value / highest) * (height - top - bottom);
  const line = points.map(({ atMs, value }) => `${x(atMs).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const latest = points.at(-1);
  const said = latest === undefined ? "…" : format(latest.value);
  const point = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    if (box === undefined) return;
    const at = ((event.clientX - box.left) / box.width) * width;
    setPointed(points.toSorted((a, b) => Math.abs(x(a.atMs) - at) - Math.abs(x(b.atMs) - at))[0]);
  };
  return (
    <figure class="chart">
      <figcaption>
        <span>
          {title} {unit !== "" && <small>{unit}</small>}
        </span>
        <strong>{said}</strong>
      </figcaption>
      <svg
        ref={svg}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${title}: ${said}`}
        onPointerMove={point}
        onPointerLeave={() => setPointed(undefined)}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="grid" x1={left} x2={width - right} y1={y(tick)} y2={y(tick)} />
            <text class="tick" x={left - 6} y={y(tick) + 3.5} text-anchor="end">
              {format(tick)}
            </text>
          </g>
        ))}
        {[1, 0.5, 0].map((part) => (
          <text
            key={part}
            class="tick"
            x={left + (1 - part) * (width - left - right)}
            y={height - 6}
            text-anchor={part === 1 ? "start" : part === 0 ? "end" : "middle"}
          >
            {part === 0 ? "now" : `${spanText(part * spanMs)} ago`}
          </text>
        ))}
        {points.length > 1 && (
          <polygon
            class="area"
            points={`${x(points[0]?.atMs ?? 0).toFixed(1)},${y(0)} ${line} ${x(endMs).toFixed(1)},${y(0)}`}
          />
        )}
        <polyline points={line} />
        {points.length === 1 && (
          <circle class="dot" cx={x(points[0]?.atMs ?? 0)} cy={y(points[0]?.value ?? 0)} r="2.5" />
        )}
        {pointed !== undefined && (
          <g>
            <line class="cursor" x1={x(pointed.atMs)} x2={x(pointed.atMs)} y1={top} y2={height - bottom} />
            <circle class="dot" cx={x(pointed.atMs)} cy={y(pointed.value)} r="3.5" />
            <text
              class="pointed"
              x={x(pointed.atMs) > width / 2 ? x(pointed.atMs) - 8 : x(pointed.atMs) + 8}
              y={top + 12}
              text-anchor={x(pointed.atMs) > width / 2 ? "end" : "start"}
            >
              {format(pointed.value)}, {spanText(endMs - pointed.atMs)}
              {endMs > pointed.atMs && " ago"}
            </text>
          </g>
        )}
      </svg>
    </figure>
  );
}
