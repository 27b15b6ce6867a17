import { useEffect, useState } from 'react';
import { EMPTY_STORY, extend, type Heard, type Story } from './story.ts';

/** Output gathers for a moment: a thousand lines a second are drawn a few times. */
const GATHER_MS = 80;

/** A run's own stream, from its beginning and live. The browser resumes it; what comes again is left out. */
export function useStory(id: string): Story {
  const [story, setStory] = useState(EMPTY_STORY);
  useEffect(() => {
    const source = new EventSource(`/v1/biam/subscribe?task_id=${encodeURIComponent(id)}`);
    let waiting: Heard[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    const settle = () => {
      timer = undefined;
      const come = waiting;
      waiting = [];
      setStory((before) => extend(before, come));
    };
    const take = ({ type, data, lastEventId }: MessageEvent<string>) => {
      if (type !== 'gap') {
        if (Number(lastEventId) <= last) return;
        last = Number(lastEventId);
      }
      waiting.push({ id: lastEventId, event: type, data });
      timer ??= setTimeout(settle, GATHER_MS);
      // Nothing follows it, and a stream that ended would be opened again.
      if (type === 'terminal') source.close();
    };
    for (const kind of ['task', 'frame', 'gap', 'terminal'])
      source.addEventListener(kind, take as EventListener);
    return () => (clearTimeout(timer), source.close());
  }, [id]);
  return story;
}
