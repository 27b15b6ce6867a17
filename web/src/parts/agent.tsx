import type { ReactNode } from 'react';
import { Face } from './face.tsx';
import { Foreign } from './foreign.tsx';

export type Life = 'living' | 'idle' | 'gone';

const SHAPES: Readonly<Record<Life, ReactNode>> = {
  living: <circle cx="5" cy="5" r="4" fill="currentColor" />,
  idle: <path d="M5 1a4 4 0 0 1 0 8z M5 1.500a3.500 3.500 0 1 0 0 7" fill="currentColor" />,
  gone: <circle cx="5" cy="5" r="3.300" fill="none" stroke="currentColor" strokeWidth="1.400" />,
};
const COLOURS: Readonly<Record<Life, string>> = {
  living: 'text-kelp',
  idle: 'text-kelp',
  gone: 'text-faint',
};
const WORDS: Readonly<Record<Life, string>> = {
  living: 'connected',
  idle: 'connected, idle',
  gone: 'not connected',
};

function Alive({ life }: Readonly<{ life: Life }>): ReactNode {
  return (
    <svg
      viewBox="0 0 10 10"
      width="9"
      height="9"
      className={`shrink-0 ${COLOURS[life]}`}
      role="img"
      aria-label={WORDS[life]}
    >
      {SHAPES[life]}
    </svg>
  );
}

/** Several who try one task are held together by a name that tells nobody anything. */
export const shownName = (name: string): string => (/^try-[0-9a-f]{6}$/.test(name) ? 'a trial' : name);

type AgentProps = Readonly<{
  name: string;
  life?: Life | undefined;
  /** The program it speaks through, where it is known; else its name may tell. */
  client?: string | undefined;
  size?: number;
}>;

/** A face and a name, with a sign of life where one is known. Names are given by agents, so they are foreign text. */
export function Agent({ name, life, client, size = 18 }: AgentProps): ReactNode {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-middle">
      <Face name={name} client={client} size={size} />
      <span className="truncate font-medium" title={name}>
        <Foreign text={shownName(name)} />
      </span>
      {life && <Alive life={life} />}
    </span>
  );
}
