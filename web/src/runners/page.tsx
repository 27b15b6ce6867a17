import { useState, type ReactNode } from 'react';
import { Refusal } from '../api/call.ts';
import { useTokens } from '../agents/queries.ts';
import { useHub } from '../frame/hub.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Empty } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Table, View, ViewClosed, ViewUnready } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { AddRunner } from './add.tsx';
import { RunnerDrawer } from './drawer.tsx';
import { RUNNER_SCOPE, useRunners, type Runner } from './queries.ts';
import { RunnerState, Slots } from './state.tsx';

const COLUMNS = [
  ['Runner', 'minmax(8rem,1fr)'],
  ['State', '6rem'],
  ['Slots', '10rem'],
  ['Agents', 'minmax(6rem,1fr)'],
  ['Labels', 'minmax(5rem,1fr)'],
  ['Seen', '6rem'],
  ['Version', '5rem'],
] as const;

const SIGN_IN = new Refusal(401, {});

/** The machines that take runs of this hub. */
export function RunnersPage(): ReactNode {
  const { data: hub } = useHub();
  const { data, error } = useRunners();
  const { at } = usePlace();
  const setPlace = useSetPlace();
  const [isAdding, setAdding] = useState(false);
  const expected = useExpected(data?.runners);
  if (!hub) return <ViewUnready />;
  if (!hub.isSignedIn || error)
    return (
      <ViewClosed error={error ?? SIGN_IN} what="Runners">
        <Empty title="This hub hands out no runs" />
      </ViewClosed>
    );
  if (!data) return <ViewUnready />;
  const create = !isAdding && (
    <button className="button button-main" onClick={() => setAdding(true)}>
      <Icon name="plus" size={12} />
      New runner
    </button>
  );
  const isEmpty = data.runners.length === 0 && expected.length === 0;
  return (
    <View
      title="Runners"
      about="Machines that take runs of this hub. A run goes to one that has its agent, its labels and a free slot."
      aside={!isEmpty && create}
      detail={
        at !== undefined && (
          <RunnerDrawer
            key={at}
            name={at}
            runner={data.runners.find(({ name }) => name === at)}
            onClose={() => setPlace({ at: undefined }, true)}
          />
        )
      }
    >
      {isAdding && <AddRunner onClose={() => setAdding(false)} />}
      {isEmpty ? (
        <Empty
          title="No other machine takes runs"
          action={create}
          command="holdfast token create --runner desktop > desktop.token"
        >
          Runs are made on this machine alone. A runner takes some of them to another one: the laptop is
          closed, the desktop goes on.
        </Empty>
      ) : (
        <Table label="Runners" columns={COLUMNS}>
          {data.runners.map((runner) => (
            <Row key={runner.name} runner={runner} isOpen={runner.name === at} />
          ))}
          {expected.map((name) => (
            <li key={name}>
              <button className="cells hover:bg-sunken" onClick={() => setPlace({ at: name }, true)}>
                <span className="truncate font-medium">
                  <Foreign text={name} />
                </span>
                <span className="text-faint">expected</span>
                <span className="text-faint">has a token, never came</span>
              </button>
            </li>
          ))}
        </Table>
      )}
    </View>
  );
}

/** Names that have a token and were never heard of. */
function useExpected(runners: readonly Runner[] | undefined): readonly string[] {
  const { data } = useTokens();
  const known = new Set(runners?.map(({ name }) => name));
  const names = (data?.tokens ?? [])
    .filter(({ scopes, state }) => state === 'active' && scopes.includes(RUNNER_SCOPE))
    .map(({ agent }) => agent);
  return [...new Set(names)].filter((name) => !known.has(name));
}

function Row({ runner, isOpen }: Readonly<{ runner: Runner; isOpen: boolean }>): ReactNode {
  const { name, state, agents, labels, seenAt, version } = runner;
  const setPlace = useSetPlace();
  return (
    <li>
      <button
        aria-current={isOpen}
        className={`cells hover:bg-sunken ${isOpen ? 'bg-chosen' : ''}`}
        onClick={() => setPlace({ at: name }, true)}
      >
        <span className="truncate font-medium">
          <Foreign text={name} />
        </span>
        <RunnerState state={state} />
        <Slots runner={runner} />
        <span className="text-soft truncate">{agents.join(', ')}</span>
        <span className="text-soft truncate">{labels.join(', ')}</span>
        <Moment at={seenAt} />
        <span className="text-meta text-faint">{version}</span>
      </button>
    </li>
  );
}
