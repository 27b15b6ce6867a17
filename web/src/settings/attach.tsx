import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { Command, Refused } from '../parts/empty.tsx';

const RUNTIMES = ['claude-code', 'codex', 'gemini', 'opencode', 'cursor', 'vscode', 'openclaw'];

/** The line for each client, and what would be written by hand. */
export function Attach(): ReactNode {
  const [runtime, setRuntime] = useState('claude-code');
  const { data, error } = useQuery({
    queryKey: ['attach', runtime],
    queryFn: () => ask('GET /api/mcp/config', { runtime, server: 'hub', transport: 'http' }),
  });
  return (
    <div className="flex flex-col gap-3">
      <div role="radiogroup" aria-label="Client" className="flex flex-wrap gap-1">
        {RUNTIMES.map((name) => (
          <button
            key={name}
            role="radio"
            aria-checked={name === runtime}
            onClick={() => setRuntime(name)}
            className={`rounded-one h-7 border px-2.5 ${name === runtime ? 'border-kelp bg-kelp-wash font-medium' : 'border-line text-soft hover:border-edge'}`}
          >
            {name}
          </button>
        ))}
      </div>
      <div>
        <h3 className="section-title mb-1">In the folder of your project</h3>
        <Command text={`holdfast connect ${runtime}`} />
        <p className="text-meta text-faint mt-1">
          Shows what it would change before it changes anything;{' '}
          <code className="font-mono">holdfast disconnect {runtime}</code> takes it back.
        </p>
      </div>
      <details>
        <summary className="text-soft hover:text-ink">Or by hand, over HTTP</summary>
        <div className="mt-2 flex flex-col gap-1">
          {data && <Command text={data.config.snippet} />}
          {data?.config.hint && <p className="text-meta text-faint">{data.config.hint}</p>}
          <Refused error={error} />
        </div>
      </details>
    </div>
  );
}
