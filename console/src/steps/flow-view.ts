import { type PointerEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Box, Layout } from "./flow-layout.ts";
import { nodeHeight, nodeWidth } from "./flow-layout.ts";

/** The place of the picture in its frame, in pixels, and its scale. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const [smallest, largest] = [0.1, 2];
const readable = 0.65;
const margin = 12;
const dragFrom = 4;

const within = (scale: number): number => Math.min(largest, Math.max(smallest, scale));

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Shows the whole flow, if necessary at a scale below `smallest`. */
function whole(size: Size, { width, height }: Layout): View {
  const scale = Math.min(1, (size.width - margin) / width, (size.height - margin) / height);
  return { scale, x: (size.width - width * scale) / 2, y: (size.height - height * scale) / 2 };
}

/** Shows the whole flow, or only its beginning if the texts of the whole flow would be too small to read. */
function opening(size: Size, layout: Layout): View {
  const view = whole(size, layout);
  const [start] = layout.boxes;
  if (view.scale >= readable || !start) return view;
  const scale = readable;
  const centered = (from: number, length: number, room: number): number => room / 2 - (from + length / 2) * scale;
  return layout.isDown
    ? { scale, x: centered(start.x, nodeWidth, size.width), y: 0 }
    : { scale, x: 0, y: centered(start.y, nodeHeight, size.height) };
}

/** Moves and scales the picture by pointer, pinch and wheel. The caller handles buttons and keys. */
export function useFlowView(frame: RefObject<HTMLDivElement | null>, layout: Layout) {
  const [size, setSize] = useState<Size | null>(null);
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = (): void => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);

  // A picture that the user has moved stays in its place while steps change.
  const shows = useRef<"beginning" | "whole" | "moved">("beginning");
  const isDown = useRef(layout.isDown);
  useLayoutEffect(() => {
    if (!size || size.width === 0) return;
    if (isDown.current !== layout.isDown) shows.current = "beginning";
    isDown.current = layout.isDown;
    if (shows.current === "beginning") setView(opening(size, layout));
    if (shows.current === "whole") setView(whole(size, layout));
  }, [size, layout]);
  const move = useCallback((to: (before: View) => View) => {
    shows.current = "moved";
    setView(to);
  }, []);

  const zoom = useCallback(
    (factor: number, at?: { readonly x: number; readonly y: number }) =>
      move((before) => {
        const scale = within(before.scale * factor);
        const { x, y } = at ?? { x: (size?.width ?? 0) / 2, y: (size?.height ?? 0) / 2 };
        const grown = scale / before.scale;
        return { scale, x: x - (x - before.x) * grown, y: y - (y - before.y) * grown };
      }),
    [size, move],
  );
  const pan = useCallback(
    (x: number, y: number) => move((before) => ({ ...before, x: before.x + x, y: before.y + y })),
    [move],
  );
  const fit = useCallback(() => {
    if (!size) return;
    shows.current = "whole";
    setView(whole(size, layout));
  }, [size, layout]);
  const show = useCallback(
    (box: Box) =>
      setView((before) => {
        if (!size) return before;
        const inside = (from: number, length: number, room: number): number => {
          if (from < margin) return margin - from;
          return from + length > room - margin ? room - margin - from - length : 0;
        };
        const x = inside(before.x + box.x * before.scale, nodeWidth * before.scale, size.width);
        const y = inside(before.y + box.y * before.scale, nodeHeight * before.scale, size.height);
        return x === 0 && y === 0 ? before : { ...before, x: before.x + x, y: before.y + y };
      }),
    [size],
  );

  useEffect(() => {
    const element = frame.current;
    // A wheel without a key scrolls the page. Browsers report a pinch on a touchpad as a wheel event with Ctrl.
    const turn = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = (event.currentTarget as Element).getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - left, y: event.clientY - top });
    };
    element?.addEventListener("wheel", turn, { passive: false });
    return () => element?.removeEventListener("wheel", turn);
  }, [frame, zoom]);

  return { view, isMeasured: size !== null, zoom, pan, fit, show, drag: useDrag(frame, pan, zoom) };
}

/** One pointer moves the picture. Two pointers also change its size. */
function useDrag(
  frame: RefObject<HTMLDivElement | null>,
  pan: (x: number, y: number) => void,
  zoom: (factor: number, at: { readonly x: number; readonly y: number }) => void,
) {
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const way = useRef(0);
  const end = (event: PointerEvent): void => {
    pointers.current.delete(event.pointerId);
    // The click of this press comes before the timeout and still needs `way`. After the timeout, `way` must be 0: a
    // screen reader clicks without a press.
    setTimeout(() => {
      if (pointers.current.size === 0) way.current = 0;
    });
  };
  return {
    /** Whether the last press moved the picture. Such a press is not a click. */
    hasMoved: () => way.current > dragFrom,
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0) return;
      if (pointers.current.size === 0) way.current = 0;
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove: (event: PointerEvent): void => {
      const before = pointers.current.get(event.pointerId);
      if (!before) return;
      const now = { x: event.clientX, y: event.clientY };
      way.current += Math.hypot(now.x - before.x, now.y - before.y);
      if (way.current <= dragFrom) return;
      // The capture lets the user drag outside of the frame. A press without movement gets no capture and is a click.
      frame.current?.setPointerCapture(event.pointerId);
      const others = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      pointers.current.set(event.pointerId, now);
      const [other] = others;
      if (!other) {
        pan(now.x - before.x, now.y - before.y);
        return;
      }
      const { left = 0, top = 0 } = frame.current?.getBoundingClientRect() ?? {};
      const apart = (point: typeof now): number => Math.hypot(point.x - other.x, point.y - other.y);
      zoom(apart(now) / Math.max(1, apart(before)), {
        x: (now.x + other.x) / 2 - left,
        y: (now.y + other.y) / 2 - top,
      });
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
