import { useRef, type ReactNode, type RefObject } from 'react';
import { Icon } from '../parts/icons.tsx';

/** What stands beside a line: that something is wrong there, or which rule begins there. */
export type Mark = Readonly<{ line: number; kind: 'problem' | 'allow' | 'deny' | 'ask'; says: string }>;

type CodeField = Readonly<{
  field: RefObject<HTMLTextAreaElement | null>;
  label: string;
  text: string;
  marks: readonly Mark[];
  onChange(text: string): void;
}>;

const SIGN = { problem: 'alert', allow: 'tick', deny: 'close', ask: 'approvals' } as const;
const COLOUR = { problem: 'text-amber', allow: 'text-kelp', deny: 'text-amber', ask: 'text-coral' } as const;

/** A field of text with the numbers of its lines and what is to be said of them; the lists below it say it in words. */
export function CodeField({ field, label, text, marks, onChange }: CodeField): ReactNode {
  const gutter = useRef<HTMLDivElement>(null);
  const lines = text.split('\n');
  const of = new Map(marks.toReversed().map((mark) => [mark.line, mark]));
  return (
    <div className="field flex overflow-hidden p-0">
      <div
        ref={gutter}
        aria-hidden="true"
        data-gutter
        className="bg-sunken border-line text-faint shrink-0 overflow-hidden border-r py-[5px] text-right font-mono text-[12px] leading-[18px] select-none"
      >
        {lines.map((_, at) => {
          const mark = of.get(at + 1);
          return (
            <div
              key={at}
              title={mark?.says}
              data-mark={mark?.kind}
              className={`flex h-[18px] items-center justify-end gap-1 px-1.5 ${mark?.kind === 'problem' ? 'bg-amber-wash' : ''}`}
            >
              {mark && <Icon name={SIGN[mark.kind]} size={12} className={COLOUR[mark.kind]} />}
              {at + 1}
            </div>
          );
        })}
      </div>
      <textarea
        ref={field}
        className="min-w-0 flex-1 resize-none bg-transparent px-2 py-[5px] font-mono text-[12px] leading-[18px] whitespace-pre"
        rows={Math.min(32, Math.max(14, lines.length + 1))}
        spellCheck={false}
        wrap="off"
        aria-label={label}
        value={text}
        onScroll={({ currentTarget }) => gutter.current?.scrollTo({ top: currentTarget.scrollTop })}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}
