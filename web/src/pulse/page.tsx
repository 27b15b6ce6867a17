import { useState, type ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Refused, Skeleton } from '../parts/empty.tsx';
import { Switch, View } from '../parts/page.tsx';
import { Budgets } from './budgets.tsx';
import { Credited, Remembered } from './known.tsx';
import { Landed } from './landed.tsx';
import { AtWork, Calls, Finished, Spent, Waited } from './pictures.tsx';
import { usePulse } from './queries.ts';
import { Slots } from './runners.tsx';

const SPANS = [
  ['7', '7 days'],
  ['14', '14 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const;

/** How the days went. Each picture answers one question; the numbers behind all of them are one key away. */
export function PulsePage(): ReactNode {
  const project = useProject();
  const { view } = usePlace();
  const setPlace = useSetPlace();
  const days = SPANS.find(([span]) => span === view)?.[0] ?? '14';
  const { data, error } = usePulse(Number(days), project);
  const [isTable, setTable] = useState(false);
  useKeys('Pulse', { t: { does: 'Pictures, or their tables', run: () => setTable(!isTable) } });
  return (
    <View
      title="Pulse"
      about="How the days went: what got done, what it took, and what waited."
      aside={
        <>
          <button className="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? 'Show pictures' : 'Show tables'}
          </button>
          <Switch
            label="How far back"
            value={days}
            options={SPANS}
            onChange={(to) => setPlace({ view: to === '14' ? undefined : to })}
          />
        </>
      }
    >
      <Refused error={error} />
      {!data && !error && <Skeleton rows={8} />}
      {data && (
        <div
          key={String(isTable)}
          className="grid gap-x-12 gap-y-9 px-4 py-5 @min-[1000px]/list:grid-cols-2 @min-[1500px]/list:grid-cols-3"
        >
          <Finished pulse={data} isTable={isTable} />
          <Spent pulse={data} isTable={isTable} />
          <Waited pulse={data} isTable={isTable} />
          <Budgets isTable={isTable} />
          <AtWork pulse={data} isTable={isTable} />
          <Calls pulse={data} isTable={isTable} />
          <Landed pulse={data} isTable={isTable} />
          <Slots isTable={isTable} />
          <Remembered pulse={data} isTable={isTable} />
          <Credited pulse={data} isTable={isTable} />
        </div>
      )}
    </View>
  );
}
