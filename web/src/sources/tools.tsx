import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { Unready } from '../parts/unready.tsx';
import { useAllTools } from './one.ts';
import type { SourceTool } from './queries.ts';

export function hasWords({ name, description }: SourceTool, sought: string): boolean {
  const text = `${name} ${description}`.toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const STANDINGS: Readonly<Record<SourceTool['standing'], string>> = {
  trusted: 'text-faint',
  asks: 'text-soft',
  quarantined: 'text-coral',
  rejected: 'text-amber',
};

/** Each tool: its name, whether an agent may use it, and what it says it does. */
export function Tools({ tools }: Readonly<{ tools: readonly SourceTool[] }>): ReactNode {
  return (
    <ul>
      {tools.map((tool) => (
        <li key={tool.name} className="border-line border-b py-1.5 last:border-0">
          <ToolLine tool={tool} />
        </li>
      ))}
    </ul>
  );
}

function ToolLine({ tool }: Readonly<{ tool: SourceTool }>): ReactNode {
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-mono text-[12px] break-all">
          <Foreign text={tool.name} />
        </code>
        <span className={`text-meta ${STANDINGS[tool.standing]}`}>{tool.standing}</span>
        {tool.findings.length > 0 && (
          <span className="text-meta text-amber">
            {tool.findings[0]!.kind} in {tool.findings[0]!.where}
          </span>
        )}
      </span>
      <span className="text-soft line-clamp-2 max-w-[90ch]" dir="auto">
        <Foreign text={tool.description} />
      </span>
    </>
  );
}

/** The tools of every source that have these words; each leads to the source it comes from. */
export function FoundTools({ sought }: Readonly<{ sought: string }>): ReactNode {
  const { found, isLooking, error } = useAllTools();
  const tools = found.filter(({ tool }) => hasWords(tool, sought));
  if (tools.length === 0 && (isLooking || error)) return <Unready error={error} />;
  return (
    <>
      <p className="text-meta text-soft px-4 pb-1" role="status">
        {tools.length === 0
          ? 'No tool of any source has these words.'
          : `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`}
      </p>
      <ul className="border-line border-t">
        {tools.map(({ source, tool }) => (
          <li key={tool.name} className="border-line border-b">
            <Link
              to="/sources/$name"
              params={{ name: source }}
              search={(before) => before}
              className="hover:bg-sunken block px-4 py-1.5"
            >
              <ToolLine tool={tool} />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
