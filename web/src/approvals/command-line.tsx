import { useMemo, type ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';

type Piece = Readonly<{
  text: string;
  kind: 'program' | 'flag' | 'joint' | 'quoted' | 'word' | 'risky' | 'space';
}>;

/** A command line in pieces, for reading. It marks; what is dangerous is for the hub to say. */
export function CommandLine({ text }: Readonly<{ text: string }>): ReactNode {
  const pieces = useMemo(() => split(text), [text]);
  return (
    <pre
      tabIndex={0}
      aria-label="The command"
      className="bg-sunken border-edge rounded-one border-l-2 px-3 py-2 font-mono text-[13px] leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap"
    >
      {pieces.map(({ text: piece, kind }, at) => (
        // Each by itself: letters that run from right to left move nothing beside them.
        <span key={at} className={`[unicode-bidi:isolate] ${STYLES[kind]}`}>
          <Foreign text={piece} />
        </span>
      ))}
    </pre>
  );
}

const STYLES: Readonly<Record<Piece['kind'], string>> = {
  program: 'font-semibold',
  flag: 'text-soft',
  joint: 'text-tide font-semibold',
  quoted: 'text-kelp',
  risky: 'bg-amber-wash text-amber font-semibold rounded-sm',
  word: '',
  space: '',
};

/** These change what a line does, or where it reaches: worth a second look. */
const RISKY =
  /^(sudo|rm|-rf?|-fr|--force|--no-verify|curl|wget|eval|chmod|chown|dd|mkfs.*|publish|push|deploy|--hard)$/;

function split(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let isStart = true;
  for (const [piece] of text.matchAll(
    /\s+|&&|\|\||[|;&<>()]+|"(?:[^"\\]|\\.)*"|'[^']*'|[^\s|;&<>()"']+|["']/g,
  )) {
    if (/^\s/.test(piece)) {
      if (piece.includes('\n')) isStart = true;
      pieces.push({ text: piece, kind: 'space' });
    } else if (/^[|;&<>()]/.test(piece)) {
      pieces.push({ text: piece, kind: 'joint' });
      isStart = !/[<>]/.test(piece);
    } else {
      const kind = RISKY.test(piece)
        ? 'risky'
        : /^["']/.test(piece)
          ? 'quoted'
          : isStart
            ? 'program'
            : piece.startsWith('-')
              ? 'flag'
              : 'word';
      pieces.push({ text: piece, kind });
      isStart = false;
    }
  }
  return pieces;
}
