import type { ReactNode } from 'react';
import { ShapeWords } from '../approvals/shape-words.tsx';
import { Where } from '../approvals/where.tsx';
import { whoDecided } from '../approvals/words.ts';
import { useGrants, useRevoke, type Grant } from '../approvals/queries.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Switch, View } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';

export function GrantsPage(): ReactNode {
  const isAll = usePlace().view === 'all';
  const setPlace = useSetPlace();
  const { data, error } = useGrants(isAll);
  const revoke = useRevoke();
  return (
    <View
      title="Grants"
      about="What you allowed for always: one tool, one caller, arguments of one shape."
      aside={
        <Switch
          label="Which"
          value={isAll ? 'all' : 'living'}
          options={[
            ['living', 'In force'],
            ['all', 'All there were'],
          ]}
          onChange={(view) => setPlace({ view: view === 'all' ? 'all' : undefined })}
        />
      }
    >
      <div className="px-4">
        <Refused error={error ?? revoke.error} />
      </div>
      {!data && !error ? (
        <Skeleton />
      ) : data?.grants.length === 0 ? (
        <Empty title="Nothing is allowed for always">
          When you answer a request with “always”, what that means is kept here, as narrow as the tool
          permits. It can be taken back at any time.
        </Empty>
      ) : (
        <ul>
          {data?.grants.map((grant) => (
            <Row key={grant.id} grant={grant} onRevoke={() => revoke.mutate(grant.id)} />
          ))}
        </ul>
      )}
    </View>
  );
}

function Row({ grant, onRevoke }: Readonly<{ grant: Grant; onRevoke(): void }>): ReactNode {
  const { toolName, holder, shape, uses, lastUsedAt, createdAt, createdBy, expiresAt, revokedAt, revokedBy } =
    grant;
  return (
    <li
      className={`border-line flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-2 ${revokedAt === null ? '' : 'text-soft'}`}
    >
      <span className="min-w-0 flex-1 basis-72">
        <Agent name={holder} /> may use <strong className="font-medium">{toolName}</strong>
        {shape['exactly'] === undefined ? (
          <>
            {' '}
            with <ShapeWords shows={shape} />
          </>
        ) : (
          <>
            {' '}
            with exactly{' '}
            <code
              className="bg-sunken mt-0.5 mr-1 inline-block max-w-full truncate rounded px-1.5 align-bottom font-mono text-[12px]"
              title={shape['exactly']}
            >
              <Foreign text={shape['exactly']} />
            </code>
            {shape['cwd'] !== undefined && shape['cwd'] !== '.' && <>in {shape['cwd']}</>}
          </>
        )}
        {grant.folder !== null && (
          <span className="text-meta block truncate">
            given <Where {...grant} />
          </span>
        )}
      </span>
      <span className="text-meta text-faint flex gap-3">
        <span>
          by {whoDecided(createdBy)} <Moment at={createdAt} />
        </span>
        <span>
          {uses === 0 ? (
            'never used'
          ) : (
            <>
              used {uses} {uses === 1 ? 'time' : 'times'}
              {lastUsedAt !== null && (
                <>
                  , <Moment at={lastUsedAt} />
                </>
              )}
            </>
          )}
        </span>
        {expiresAt !== null && revokedAt === null && (
          <span>
            ends <Moment at={expiresAt} />
          </span>
        )}
        {revokedAt !== null && (
          <span>
            revoked by {whoDecided(revokedBy ?? '')} <Moment at={revokedAt} />
          </span>
        )}
      </span>
      {revokedAt === null && (
        <button className="button" onClick={onRevoke}>
          Revoke
        </button>
      )}
    </li>
  );
}
