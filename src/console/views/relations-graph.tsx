/** The objects around one object as a picture: every node is a link, and the tree below it says the same in words. */

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Around, nodeHeight, nodeWidth, type PlacedEdge, type PlacedNode, placeGraph } from "../state/graph.ts";
import { StateIcon, stateWord } from "./status.tsx";

/** A picture that is wider than its place shrinks to this part of its size, then it scrolls. */
const leastScale = 0.7;

/** Longer names are cut; the title has them whole. */
const nameCharsMax = 27;

export function RelationsGraph({ around }: { readonly around: Around }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const graph = useMemo(() => placeGraph(around, (id) => open.has(id)), [around, open]);
  const box = useRef<HTMLElement>(null);
  const ownX = graph.nodes.find(({ item }) => item === around.own)?.x ?? 0;
  useLayoutEffect(() => {
    // Where it does not fit, it begins with what it is about.
    const { current } = box;
    if (current === null) return;
    const scale = current.scrollWidth / graph.width;
    current.scrollLeft = (ownX + nodeWidth / 2) * scale - current.clientWidth / 2;
  }, [around.own.id]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="graph" aria-label="Relations as a picture" tabIndex={0} ref={box}>
      <svg
        width={graph.width}
        height={graph.height}
        style={{ minWidth: `${Math.round(graph.width * leastScale)}px` }}
        viewBox={`0 0 ${graph.width} ${graph.height}`}
      >
        <title>{`${around.own.kind} ${around.own.name} and what belongs to it`}</title>
        {graph.edges.map((edge, at) => (
          <path key={at} class={`edge${edge.isUse ? " uses" : ""}`} d={curve(edge)} />
        ))}
        {graph.nodes.map((node) => (
          <Node
            key={node.item.id}
            node={node}
            isOwn={node.item === around.own}
            onOpen={() => setOpen(new Set([...open, node.item.id]))}
          />
        ))}
      </svg>
    </section>
  );
}

function curve({ from, to }: PlacedEdge): string {
  const bend = (to.x - from.x) / 2;
  return `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
}

interface NodeOptions {
  readonly node: PlacedNode;
  readonly isOwn: boolean;
  readonly onOpen: () => void;
}

function Node({ node: { item, x, y, folded }, isOwn, onOpen }: NodeOptions) {
  const label = [item.kind, item.as, item.isMissing ? "not there" : ""].filter((word) => word !== "").join(", ");
  const shown = item.name.length > nameCharsMax ? `${item.name.slice(0, nameCharsMax)}…` : item.name;
  const inner = (
    <>
      <title>{`${label} ${item.name}`}</title>
      <rect width={nodeWidth} height={nodeHeight} rx="6" />
      <text class="kind" x="10" y="16">
        {label}
      </text>
      <text x="10" y="31" direction="ltr" unicode-bidi="isolate">
        {shown}
      </text>
      {item.state !== undefined && folded === 0 && (
        <g transform={`translate(${nodeWidth - 22} 7)`}>
          <StateIcon state={item.state} label={stateWord(item.state)} />
        </g>
      )}
    </>
  );
  const place = {
    class: `node${isOwn ? " own" : ""}${item.isMissing ? " is-missing" : ""}${item.state === undefined || folded > 0 ? "" : ` is-${item.state}`}`,
    transform: `translate(${x} ${y})`,
  };
  if (folded > 0)
    return (
      // biome-ignore lint/a11y/useSemanticElements: a picture has no buttons of its own
      <g
        {...place}
        role="button"
        tabIndex={0}
        aria-label={`Show ${item.name} of ${label}`}
        onClick={onOpen}
        onKeyDown={(event) => event.key === "Enter" && onOpen()}
      >
        {inner}
      </g>
    );
  return item.href === "" ? (
    <g {...place}>{inner}</g>
  ) : (
    <a
      {...place}
      href={item.href}
      aria-label={`${label} ${item.name}${item.state === undefined ? "" : `, ${stateWord(item.state)}`}`}
    >
      {inner}
    </a>
  );
}
