import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useRisks } from '../approvals/queries.ts';
import { coveredBy } from '../approvals/request.ts';
import { ShapeWords } from '../approvals/shape-words.tsx';
import { ask } from '../api/call.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { Section } from '../parts/drawer.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { SIGNS, verdict } from './queries.ts';

/** What would happen to a call, and by which rule. Nothing is called. */
export function Explain(): ReactNode {
  const [tool, setTool] = useState('Bash');
  const draft = useDraft('policy call', { base: '{"command": "npm publish"}' });
  const args = draft.text;
  const [agent, setAgent] = useState('');
  const tools = useRisks();
  const explain = useMutation({
    mutationFn: () =>
      ask('POST /api/tools/policy/explain', {
        tool,
        args: JSON.parse(args || '{}') as Record<string, unknown>,
        ...(agent !== '' && { agentId: agent }),
      }),
  });
  const submit = (event: FormEvent) => (event.preventDefault(), explain.mutate());
  return (
    <Section as="h2" title="What would happen to a call?">
      <form onSubmit={submit} className="flex flex-col gap-2">
        <div className="flex gap-2">
          <datalist id="tools-known">
            {[...(tools?.keys() ?? [])].map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <input
            className="field min-w-0 flex-1"
            aria-label="Tool"
            list="tools-known"
            value={tool}
            onChange={({ target }) => setTool(target.value)}
          />
          <input
            className="field min-w-0 flex-1"
            aria-label="Agent"
            placeholder="any agent"
            value={agent}
            onChange={({ target }) => setAgent(target.value)}
          />
        </div>
        <textarea
          className="field font-mono text-[12px]"
          rows={2}
          aria-label="Arguments as JSON"
          value={args}
          onChange={({ target }) => draft.set(target.value)}
        />
        <button className="button self-start">Explain</button>
      </form>
      <div className="mt-2" aria-live="polite">
        <Refused error={explain.error} />
        {explain.data && (
          <p>
            <strong className={SIGNS[explain.data.decision]}>{verdict(explain.data.decision)}</strong>:{' '}
            <Foreign text={explain.data.reason} />
            {explain.data.decision === 'require_approval' && (
              <span className="text-soft block">
                “Always” would mean <ShapeWords shows={Object.fromEntries(coveredBy(explain.data))} />
              </span>
            )}
            {explain.data.notes.map((note) => (
              <span key={note} className="text-soft block">
                <Foreign text={note} />
              </span>
            ))}
          </p>
        )}
      </div>
    </Section>
  );
}
