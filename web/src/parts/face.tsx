import type { CSSProperties, ReactNode } from 'react';

/** Our own drawings for the programs agents speak through, on a grid of 10. */
const MARKS = {
  claude: 'M5 1v8M1.500 3l7 4M8.500 3l-7 4',
  codex: 'M5 1 8.500 3v4L5 9 1.500 7V3zM5 5 8.500 3M5 5v4M5 5 1.500 3',
  gemini:
    'M5 .8C5.300 3.600 6.400 4.700 9.200 5 6.400 5.300 5.300 6.400 5 9.200 4.700 6.400 3.600 5.300.8 5 3.600 4.700 4.700 3.600 5 .8',
  opencode: 'M3.500 1.500h-2v7h2M6.500 1.500h2v7h-2',
  cursor: 'M2 1.500 8.500 5 5.500 6 4.500 9z',
  copilot: 'M2 5a3 3 0 0 1 6 0v2.500H2zM4 5.500v1M6 5.500v1',
  aider: 'M1.500 8.500 5 1.500l3.500 7M3 6h4',
} as const;

type ClientMark = keyof typeof MARKS;

/** What is known of a client is how it calls itself: `claude-code`, `codex-mcp-client`, `gemini-cli`. */
function markOf(text: string): ClientMark | undefined {
  const said = text.toLowerCase();
  return (Object.keys(MARKS) as ClientMark[]).find((mark) => said.includes(mark));
}

/** Two letters that tell one from the next: `claude-code` CC, `codex-2` C2, `gemini` GE. */
function lettersOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first = '?', ...others] = words;
  const last = others.find((word) => /^\d{1,2}$/.test(word)) ?? others[0];
  return (last === undefined ? first.slice(0, 2) : `${first.slice(0, 1)}${last.slice(0, 1)}`).toUpperCase();
}

/** The same name has the same colour wherever and whenever it is seen. */
export function hueOf(name: string): number {
  let hash = 2166136261;
  for (const char of name) hash = Math.imul(hash ^ char.codePointAt(0)!, 16777619) >>> 0;
  return (hash % 24) * 15;
}

/** A run acts under the name of its agent with six digits behind it: the face is that of the agent. */
const faceOf = (name: string): string => name.replace(/(?<=.)-[0-9a-f]{6}$/, '');

type FaceProps = Readonly<{ name: string; client?: string | undefined; size?: number }>;

/** Who, before one reads: letters in a stable colour, with the mark of the program it speaks through. */
export function Face({ name, client, size = 18 }: FaceProps): ReactNode {
  const mark = (client === undefined ? undefined : markOf(client)) ?? markOf(name);
  const style = {
    '--hue': hueOf(faceOf(name)),
    width: size,
    height: size,
    fontSize: Math.round(size * 0.5),
  } as CSSProperties;
  return (
    <span
      className="face"
      style={style}
      data-letters={lettersOf(faceOf(name))}
      data-client={mark}
      aria-hidden="true"
    >
      {mark && size >= 18 && (
        <svg
          viewBox="0 0 10 10"
          width={Math.round(size * 0.5)}
          height={Math.round(size * 0.5)}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.300"
          strokeLinecap="round"
          strokeLinejoin="round"
        >
          <path d={MARKS[mark]} />
        </svg>
      )}
    </span>
  );
}
