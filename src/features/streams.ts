// What the event streams of the hub say, by their paths and what their messages are called. Types only.
import type { Event, Gap } from '../kernel/event.ts';
import type { StreamedMessage } from '../kernel/sse.ts';
import type { StreamedFrame } from './dispatch/stream/events.ts';
import type { PresentedRun } from './dispatch/run.ts';

type Message<Name extends string, Data> = Readonly<{ id: string | undefined; event: Name; data: Data }>;

type Streams = {
  '/api/events': Message<'message', Event> | Message<'gap', Gap>;
  '/v1/biam/subscribe':
    | Message<'frame', StreamedFrame>
    | Message<'task' | 'terminal', PresentedRun>
    | Message<'gap', Readonly<{ warning: string }>>;
};

type PathOf<Path extends string> = Path extends `${infer Bare}?${string}` ? Bare : Path;

/** The messages of a stream, by its path with whatever is asked of it. */
export type MessageOf<Path extends string> =
  PathOf<Path> extends keyof Streams ? Streams[PathOf<Path>] : StreamedMessage;
