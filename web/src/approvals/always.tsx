import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import type { Approval, Covers, Wider } from './decision.ts';
import { toolWord } from './own-call.ts';
import { useOffers, type Offers } from './queries.ts';
import { argsOf } from './request.ts';
import { ShapeWords } from './shape-words.tsx';

/** What "always" covers and for how long: these very arguments, until somebody chooses more. */
export type Always = Readonly<{ covers: Covers; days: number; wider: readonly Wider[] }>;
/** The narrowest: whoever wants more says so. */
export const ALWAYS: Always = { covers: 'exact', days: 1 / 24, wider: [] };

const LIVES = [
  [1 / 24, 'an hour'],
  [1, 'a day'],
  [7, 'a week'],
  [30, '30 days'],
] as const;

type Means = Readonly<{ approval: Approval; value: Always; onChange(value: Always): void }>;

export function AlwaysMeans({ approval, value, onChange }: Means): ReactNode {
  const { data } = useOffers(approval.id);
  const { toolName, holder } = approval;
  const word = toolWord(toolName);
  const choices: Offers['choices'] = data?.choices ?? [{ covers: 'exact', shows: {}, past: 0 }];
  const chosen = value.covers;
  const choose = (covers: Covers) => onChange({ ...value, covers });
  const looked = data?.looked ?? 0;
  return (
    <fieldset className="mt-4 max-w-[80ch] min-w-0 [overflow-wrap:anywhere]">
      <legend className="section-title mb-1">Always would mean</legend>
      <p className="leading-6">
        <strong
          // The name of a tool stays as it is.
          className={`font-medium ${word === toolName ? '' : 'inline-block first-letter:uppercase'}`}
        >
          {word}
        </strong>
        , by <Foreign text={holder} />, for{' '}
        <select
          className="border-edge bg-raised rounded border px-1"
          aria-label="For how long"
          value={value.days}
          onChange={({ target }) => onChange({ ...value, days: Number(target.value) })}
        >
          {LIVES.map(([days, name]) => (
            <option key={name} value={days}>
              {name}
            </option>
          ))}
        </select>{' '}
        with
      </p>
      <ul className="my-0.5">
        {choices.map((choice) => (
          <li key={keyOf(choice.covers)}>
            <label className="flex items-baseline gap-2 py-0.5">
              <input
                type="radio"
                name={`always-${approval.id}`}
                className="accent-tide size-3.5 shrink-0 translate-y-0.5"
                checked={keyOf(chosen) === keyOf(choice.covers)}
                onChange={() => choose(choice.covers)}
              />
              <span className="min-w-0">
                <ShapeWords shows={choice.shows} />
              </span>
              {data && <Past covered={choice.past} looked={looked} />}
            </label>
          </li>
        ))}
      </ul>
      {data && data.open.length > 0 && (
        <OpenArguments offers={data} chosen={chosen} onChoose={choose} approval={approval} />
      )}
      <Reach approval={approval} value={value} onChange={onChange} />
      <p className="text-soft">It is listed under Grants and can be taken back there at any time.</p>
    </fieldset>
  );
}

const REACHES: readonly (readonly [Wider, string])[] = [
  ['every_client', 'every client here'],
  ['every_project', 'every project'],
];

/** A client of this machine has no credential that a grant could belong to: it is for that client in that project, unless chosen. */
function Reach({ approval, value, onChange }: Means): ReactNode {
  if (!approval.principal.startsWith('local:')) return null;
  const toggle = (each: Wider) =>
    onChange({
      ...value,
      wider: value.wider.includes(each) ? value.wider.filter((one) => one !== each) : [...value.wider, each],
    });
  return (
    <ul className="flex flex-wrap gap-x-4" aria-label="Wider than that">
      {REACHES.map(([each, name]) => (
        <li key={each}>
          <label className="flex items-center gap-2 py-0.5">
            <input
              type="checkbox"
              className="accent-tide size-4"
              checked={value.wider.includes(each)}
              onChange={() => toggle(each)}
            />
            also for {name}
          </label>
        </li>
      ))}
    </ul>
  );
}

/** Each argument by itself: as it stands above, or anything. What could say where to reach or what to run is not offered. */
function OpenArguments({
  offers: { open, differing, looked },
  chosen,
  onChoose,
  approval,
}: Readonly<{
  offers: Offers;
  chosen: Covers;
  onChoose(covers: Covers): void;
  approval: Approval;
}>): ReactNode {
  const names = typeof chosen === 'object' && 'open' in chosen ? chosen.open : [];
  const toggle = (name: string) => {
    const next = names.includes(name) ? names.filter((each) => each !== name) : [...names, name];
    onChoose(next.length === 0 ? 'exact' : { open: next });
  };
  const fixed = Object.keys(argsOf(approval) ?? {}).filter((name) => !names.includes(name));
  const past = differing
    .filter((group) => group.names.every((name) => names.includes(name)))
    .reduce((sum, { calls }) => sum + calls, 0);
  return (
    <div className="mt-1">
      <p className="text-soft">or leave some of it open:</p>
      <ul className="flex flex-wrap gap-x-4">
        {open.map((name) => (
          <li key={name}>
            <label className="flex items-center gap-2 py-0.5">
              <input
                type="checkbox"
                className="accent-tide size-4"
                checked={names.includes(name)}
                onChange={() => toggle(name)}
              />
              <span>
                any{' '}
                <code className="font-mono text-[12px]">
                  <Foreign text={name} />
                </code>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {names.length > 0 && (
        <p className="flex items-baseline gap-2">
          <span>
            With any {names.join(' and any ')}, and exactly this {fixed.join(', ')}.
          </span>
          <Past covered={past} looked={looked} />
        </p>
      )}
    </div>
  );
}

/** What it would have spared: of the calls that are still in the audit. */
function Past({ covered, looked }: Readonly<{ covered: number; looked: number }>): ReactNode {
  if (looked < 2) return null;
  return (
    <span className="text-meta text-faint ml-auto shrink-0 whitespace-nowrap">
      {covered} of its last {looked} calls
    </span>
  );
}

function keyOf(covers: Covers): string {
  return JSON.stringify(covers);
}
