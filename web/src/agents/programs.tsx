import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { useBudget } from '../budget/queries.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { useHub } from '../frame/hub.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Labelled } from '../parts/labelled.tsx';
import { Table } from '../parts/page.tsx';
import { quoteWord, wordsOf } from '../parts/words.ts';
import { useCallable, useMayRun } from '../runs/queries.ts';
import { ApplyChange, type ConfigChange } from '../settings/change.tsx';

type Configured = Api['GET /api/config/agents']['answer']['agents'][number];

const COLUMNS = [
  ['Agent', 'minmax(8rem,1fr)'],
  ['Family', '6rem'],
  ['May', '5rem'],
  ['Can be started', 'minmax(10rem,2fr)'],
  ['', '5rem'],
] as const;

const BLANK: Configured = {
  name: '',
  family: 'claude',
  command: null,
  model: null,
  mode: 'safe',
  cwd: null,
  enabled: true,
  env: [],
};

/** The programs that runs start: found on this machine, or named in config.yaml. */
export function Programs({ isAdding, onClose }: Readonly<{ isAdding: boolean; onClose(): void }>): ReactNode {
  const { data: hub } = useHub();
  const mayRun = useMayRun();
  const { data, error } = useCallable(mayRun);
  const { data: configured } = useQuery({
    queryKey: ['config', 'agents'],
    enabled: hub?.isSignedIn === true,
    queryFn: () => ask('GET /api/config/agents'),
  });
  const [edited, setEdited] = useState<string>();
  if (!mayRun)
    return (
      <Empty title="Agents that can be started need you to sign in" command="holdfast open">
        Starting a program is for the owner of the hub alone.
      </Empty>
    );
  if (!data) return error ? <Refused error={error} /> : <Skeleton />;
  return (
    <>
      {isAdding && (
        <div className="border-line border-b px-4 py-3">
          <AgentForm agent={BLANK} isNew onClose={onClose} />
        </div>
      )}
      <Table label="Agents that can be started" columns={COLUMNS}>
        {data.agents.map(({ instance, family, mode, callable, reason }) => {
          const own = configured?.agents.find(({ name }) => name === instance);
          return (
            <li key={instance} aria-label={instance}>
              <div className="cells">
                <Agent name={instance} />
                <span className="text-soft">{family}</span>
                <span className="text-soft">{mode}</span>
                <span className={callable ? 'text-kelp' : 'text-soft'}>
                  {callable ? 'yes' : <Foreign text={`no: ${reason ?? ''}`} />}
                </span>
                <button
                  className="quiet"
                  aria-expanded={edited === instance}
                  onClick={() => setEdited(edited === instance ? undefined : instance)}
                >
                  Edit
                </button>
              </div>
              {edited === instance && (
                <div className="px-4 pb-3">
                  <AgentForm
                    agent={own ?? { ...BLANK, name: instance, family, mode }}
                    isNew={own === undefined}
                    onClose={() => setEdited(undefined)}
                  />
                </div>
              )}
            </li>
          );
        })}
      </Table>
    </>
  );
}

const FAMILIES = ['claude', 'codex', 'gemini', 'opencode', 'acp', 'command'];
const MODES = [
  ['safe', 'safe: asks before anything of consequence'],
  ['edit', 'edit: may edit files'],
  ['full', 'full: may do everything'],
] as const;

type FormProps = Readonly<{ agent: Configured; isNew: boolean; onClose(): void }>;

/** Its variables are added by name and value, and never shown again. */
function AgentForm({ agent, isNew, onClose }: FormProps): ReactNode {
  const of = `agent ${agent.name}`;
  const drafts = {
    name: useDraft(`${of} name`, { base: agent.name }),
    command: useDraft(`${of} command`, { base: agent.command?.map(quoteWord).join(' ') ?? '' }),
    model: useDraft(`${of} model`, { base: agent.model ?? '' }),
    dollars: useDraft(`${of} dollars`),
  };
  // A variable may be a key: it is kept nowhere.
  const [chosen, setChosen] = useState({
    family: agent.family,
    mode: agent.mode,
    enabled: agent.enabled,
    variable: '',
    value: '',
  });
  const said: Said = {
    ...chosen,
    name: drafts.name.text,
    command: drafts.command.text,
    model: drafts.model.text,
    dollars: drafts.dollars.text,
  };
  const limits = useBudget().data?.windows ?? [];
  const limit = limits.find((row) => row.agent === agent.name && row.window === 'day')?.limit?.dollars;
  const [changes, setChanges] = useState<readonly ConfigChange[]>();
  const set = (part: Partial<typeof chosen>) => (setChosen({ ...chosen, ...part }), setChanges(undefined));
  const type = (name: keyof typeof drafts, text: string) => (drafts[name].set(text), setChanges(undefined));
  const wanted = changesOf(agent, said, isNew);
  const submit = (event: FormEvent) => (event.preventDefault(), setChanges(wanted));
  const field = (name: 'name' | 'command' | 'model' | 'variable' | 'value', label: string, hint = '') => (
    <Labelled label={label}>
      <input
        className="field min-w-0 flex-1"
        type={name === 'value' ? 'password' : 'text'}
        autoComplete="off"
        placeholder={hint}
        value={said[name]}
        onChange={({ target }) =>
          name === 'variable' || name === 'value' ? set({ [name]: target.value }) : type(name, target.value)
        }
      />
    </Labelled>
  );
  return (
    <div className="flex max-w-[80ch] flex-col gap-3">
      <form
        aria-label={isNew && agent.name === '' ? 'New agent' : `Change ${agent.name}`}
        onSubmit={submit}
        className="flex flex-col gap-2"
      >
        {agent.name === '' && field('name', 'Name', 'such as cheap')}
        <Labelled label="Family">
          <select
            className="field"
            value={said.family}
            onChange={({ target }) => set({ family: target.value })}
          >
            {FAMILIES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Labelled>
        {field('command', 'Command', 'as its family starts it, or a program with {prompt}')}
        {field('model', 'Model', 'as the program chooses')}
        <Labelled label="May">
          <select className="field" value={said.mode} onChange={({ target }) => set({ mode: target.value })}>
            {MODES.map(([mode, words]) => (
              <option key={mode} value={mode}>
                {words}
              </option>
            ))}
          </select>
        </Labelled>
        <Labelled label="A day">
          <input
            className="field w-40"
            inputMode="decimal"
            pattern="[0-9]+([.][0-9]+)?"
            aria-label="Dollars a day"
            placeholder={limit === undefined || limit === null ? 'no limit, in dollars' : `$${limit} now`}
            value={said.dollars}
            onChange={({ target }) => type('dollars', target.value)}
          />
        </Labelled>
        <Labelled label="Enabled">
          <input
            type="checkbox"
            checked={said.enabled}
            onChange={({ target }) => set({ enabled: target.checked })}
          />
        </Labelled>
        {agent.env.length > 0 && (
          <p className="text-meta text-faint">
            Variables: {agent.env.join(', ')}. Their values are not shown; say one again to replace it.
          </p>
        )}
        {field('variable', 'Variable', 'such as ANTHROPIC_BASE_URL')}
        {said.variable.trim() !== '' && field('value', 'Its value')}
        <div className="flex flex-wrap gap-2">
          <button className="button" disabled={said.name.trim() === '' || wanted.length === 0}>
            Preview
          </button>
          <Discard drafts={Object.values(drafts)} />
          <button type="button" className="button" onClick={onClose} title="What you wrote stays">
            Cancel
          </button>
          {!isNew && (
            <button
              type="button"
              className="button ml-auto"
              onClick={() => setChanges([{ path: ['agents', agent.name], value: null }])}
            >
              Remove
            </button>
          )}
        </div>
      </form>
      {changes && (
        <ApplyChange
          key={JSON.stringify(changes)}
          changes={changes}
          onDone={() => (Object.values(drafts).forEach(({ forget }) => forget()), onClose())}
          onCancel={() => setChanges(undefined)}
        />
      )}
    </div>
  );
}

type Said = Readonly<
  Record<'name' | 'family' | 'command' | 'model' | 'mode' | 'variable' | 'value' | 'dollars', string> & {
    enabled: boolean;
  }
>;

/** What differs, and nothing else: whatever stands beside it in the file stays. */
function changesOf(agent: Configured, said: Said, isNew: boolean): readonly ConfigChange[] {
  const name = said.name.trim();
  const at = (...rest: string[]) => ['agents', name, ...rest];
  const words = wordsOf(said.command);
  const same = (agent.command ?? []).join('\n') === words.join('\n');
  return [
    ...(isNew || said.family !== agent.family ? [{ path: at('family'), value: said.family }] : []),
    ...(same ? [] : [{ path: at('command'), value: words.length === 0 ? null : words }]),
    ...(said.model.trim() === (agent.model ?? '')
      ? []
      : [{ path: at('model'), value: said.model.trim() === '' ? null : said.model.trim() }]),
    ...(said.mode === agent.mode ? [] : [{ path: at('mode'), value: said.mode }]),
    ...(said.enabled === agent.enabled ? [] : [{ path: at('enabled'), value: said.enabled }]),
    ...(said.dollars.trim() === ''
      ? []
      : [{ path: at('budget', 'day', 'dollars'), value: Number(said.dollars) }]),
    ...(said.variable.trim() === '' || said.value === ''
      ? []
      : [{ path: at('env', said.variable.trim()), value: said.value }]),
  ];
}
