import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { NODE, type Node } from './graph-layout.ts';

type Sight = Readonly<{ x: number; y: number; width: number; height: number }>;
type Point = Readonly<{ x: number; y: number }>;

const [SMALLEST, LARGEST] = [0.4, 2];

/**
 * The sheet that is drawn on: how large it is shown, what of it is in sight, and how one goes elsewhere on it. `drawn` is what
 * stands on it: there may be nothing at first.
 */
export function useSheet(drawn: object) {
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const [sight, setSight] = useState<Sight>();
  /** What stood in the middle stays there when it grows. */
  const middle = useRef<Point | undefined>(undefined);
  const look = useCallback(() => setSight(sightOf(box.current, zoom)), [zoom]);
  const goTo = useCallback(({ x, y }: Point) => centre(box.current, { x, y }, zoom), [zoom]);
  const zoomTo = useCallback(
    (wanted: number) => {
      const seen = sightOf(box.current, zoom);
      middle.current = seen && { x: seen.x + seen.width / 2, y: seen.y + seen.height / 2 };
      setZoom(Math.min(LARGEST, Math.max(SMALLEST, Math.round(wanted * 100) / 100)));
    },
    [zoom],
  );
  useLayoutEffect(() => {
    if (middle.current) centre(box.current, middle.current, zoom);
    middle.current = undefined;
    look();
  }, [zoom, look, drawn]);
  useWheel(box, drawn, (by) => zoomTo(zoom - by / 400));
  useEffect(() => {
    if (!box.current) return undefined;
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    return () => watch.disconnect();
  }, [look, drawn]);
  return { box, zoom, zoomTo, sight, look, goTo };
}

/** With Ctrl, as maps do it; two fingers on a touch pad say the same. */
function useWheel(box: RefObject<HTMLDivElement | null>, drawn: object, onZoom: (by: number) => void): void {
  const latest = useRef(onZoom);
  latest.current = onZoom;
  useEffect(() => {
    const { current } = box;
    const heed = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      latest.current(event.deltaY);
    };
    current?.addEventListener('wheel', heed, { passive: false });
    return () => current?.removeEventListener('wheel', heed);
  }, [box, drawn]);
}

function centre(box: HTMLElement | null, { x, y }: Point, zoom: number): void {
  box?.scrollTo(x * zoom - box.clientWidth / 2, y * zoom - box.clientHeight / 2);
}

/** What of the drawing is in sight, in its own measure. */
function sightOf(box: HTMLElement | null, zoom: number): Sight | undefined {
  if (!box) return undefined;
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = box;
  return {
    x: scrollLeft / zoom,
    y: scrollTop / zoom,
    width: clientWidth / zoom,
    height: clientHeight / zoom,
  };
}

/** The ground is dragged; what stands on it is clicked. A finger scrolls by itself. */
export function startPan(event: PointerEvent<HTMLElement>): void {
  if (event.button !== 0 || event.pointerType === 'touch' || (event.target as Element).closest('button'))
    return;
  const box = event.currentTarget;
  const [x, y] = [box.scrollLeft + event.clientX, box.scrollTop + event.clientY];
  follow((to) => box.scrollTo(x - to.clientX, y - to.clientY));
}

function follow(move: (to: globalThis.PointerEvent) => void): void {
  const end = () => {
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
  };
  addEventListener('pointermove', move);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
}

type MinimapProps = Readonly<{
  nodes: readonly Node[];
  size: Readonly<{ width: number; height: number }>;
  sight: Sight | undefined;
  onGo(to: Point): void;
}>;

/** Where one is, when not all of it is in sight; a press goes there. By key the arrows scroll, and the tasks are tabbed through. */
export function Minimap({ nodes, size, sight, onGo }: MinimapProps): ReactNode {
  if (!sight || (size.width <= sight.width && size.height <= sight.height)) return null;
  const start = (event: PointerEvent<SVGSVGElement>) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const scale = Math.min(width / size.width, height / size.height);
    const [inX, inY] = [(width - size.width * scale) / 2, (height - size.height * scale) / 2];
    const go = ({ clientX, clientY }: Readonly<{ clientX: number; clientY: number }>) =>
      onGo({ x: (clientX - left - inX) / scale, y: (clientY - top - inY) / scale });
    go(event);
    follow(go);
  };
  return (
    <svg
      viewBox={`0 0 ${size.width} ${size.height}`}
      className="border-line bg-raised pointer-events-auto max-h-28 w-44 cursor-pointer rounded-one border"
      aria-hidden="true"
      data-minimap
      onPointerDown={start}
    >
      {nodes.map(({ card, x, y }) => (
        <rect key={card.id} x={x} y={y} {...NODE} rx="8" className="fill-edge" />
      ))}
      <rect {...sight} className="stroke-tide fill-none" strokeWidth={size.width / 80} />
    </svg>
  );
}
