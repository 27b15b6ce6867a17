import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import type { Approval } from './deciding.ts';
import { coveredBy, isExact } from './request.ts';

/** What "always" covers and for how long: as the tool would have it, or narrower. */
export type Always = Readonly<{ covers: 'shape' | 'exact'; days: number }>;
export const ALWAYS: Always = { covers: 'shape', days: 30 };

const LIVES = [
  [1 / 24, 'an hour'],
  [1, 'a day'],
  [7, 'a week'],
  [30, '30 days'],
] as const;

export function AlwaysMeans({
  approval,
  value,
  onChange,
}: Readonly<{ approval: Approval; value: Always; onChange(value: Always): void }>): ReactNode {
  const { toolName, agentId, principal } = approval;
  const hasChoice = !isExact(approval);
  const isNarrow = value.covers === 'exact' || !hasChoice;
  return (
    <fieldset className="mt-4 max-w-[80ch]">
      <legend className="section-title mb-1">Always would mean</legend>
      <p className="leading-6">
        <strong className="font-medium">{toolName}</strong>{' '}
        {isNarrow ? (
          'with exactly the arguments above'
        ) : (
          <>
            with{' '}
            {coveredBy(approval).map(([name, text], at) => (
              <span key={name}>
                {at > 0 && ', '}
                {name}{' '}
                <code className="bg-sunken rounded px-1 font-mono text-[12px] break-all">
                  <Foreign text={text} />
                </code>
              </span>
            ))}
          </>
        )}
        , by <Foreign text={agentId ?? principal} />, for{' '}
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
        </select>
        . It is listed under Grants and can be taken back there at any time.
      </p>
      {hasChoice && (
        <label className="text-soft mt-1 flex items-center gap-2">
          <input
            type="checkbox"
            className="accent-tide size-4"
            checked={value.covers === 'exact'}
            onChange={({ target }) => onChange({ ...value, covers: target.checked ? 'exact' : 'shape' })}
          />
          Narrower: exactly these arguments and no others
        </label>
      )}
    </fieldset>
  );
}
