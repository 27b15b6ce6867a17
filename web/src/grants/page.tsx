import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inWords } from '../approvals/request.ts';
import { ShapeWords } from '../approvals/shape-words.tsx';
import { Where } from '../approvals/where.tsx';
import { whoDecided } from '../approvals/words.ts';
import { useGrants, useRevoke, type Grant } from '../approvals/queries.ts';
import { afresh, usePlace, useProject, useSetPlace } from '../frame/place.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Face } from '../parts/face.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Switch, Table, View } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { isOf } from '../frame/of-project.ts';

const COLUMNS = [
  ['Grant', 'minmax(0,1fr)'],
  ['Given', '8rem'],
  ['Used', '9rem'],
  ['Ends', '9rem'],
  ['', '5rem'],
] as const;

export function GrantsPage(): ReactNode {
  const isAll = usePlace().view === 'all';
  const setPlace = useSetPlace();
  const project = useProject();
  const { data, error } = useGrants(isAll);
  const revoke = useRevoke();
  const grants = data?.grants.filter(({ teamId }) => isOf(project, teamId));
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
      {!grants && !error ? (
        <Skeleton />
      ) : grants?.length === 0 ? (
        <Empty
          title="Nothing is allowed for always"
          action={
            <Link to="/approvals" search={afresh} className="button">
              What waits for you
            </Link>
          }
        >
          When you answer a request with “always”, what that means is kept here, as narrow as the tool
          permits. It can be taken back at any time.
        </Empty>
      ) : (
        <Table label="Grants" columns={COLUMNS}>
          {grants?.map((grant) => (
            <Row key={grant.id} grant={grant} onRevoke={() => revoke.mutate(grant.id)} />
          ))}
        </Table>
      )}
    </View>
  );
}

function Row({ grant, onRevoke }: Readonly<{ grant: Grant; onRevoke(): void }>): ReactNode {
  const { toolName, holder, shape, uses, lastUsedAt, createdAt, createdBy, expiresAt, revokedAt, revokedBy } =
    grant;
  return (
    <li className={`cells ${revokedAt === null ? '' : 'text-soft'}`}>
      <span>
        <span className="mr-1.5 inline-block align-middle">
          <Face name={grant.agentId ?? holder} />
        </span>
        <strong className="font-medium">
          <Foreign text={holder} />
        </strong>{' '}
        may use <strong className="font-medium">{toolName}</strong>
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
              <Foreign text={inWords(shape['exactly'])} />
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
      <span className="text-meta text-soft">
        by {whoDecided(createdBy)} <Moment at={createdAt} />
      </span>
      <span className="text-meta text-soft">
        {uses === 0 ? (
          'never used'
        ) : (
          <>
            {uses} {uses === 1 ? 'time' : 'times'}
            {lastUsedAt !== null && (
              <>
                , <Moment at={lastUsedAt} />
              </>
            )}
          </>
        )}
      </span>
      <span className="text-meta text-soft">
        {revokedAt !== null ? (
          <>
            revoked by {whoDecided(revokedBy ?? '')} <Moment at={revokedAt} />
          </>
        ) : (
          expiresAt !== null && (
            <>
              <span className="@min-[740px]/list:sr-only">ends </span>
              <Moment at={expiresAt} />
            </>
          )
        )}
      </span>
      <span>
        {revokedAt === null && (
          <button className="button" onClick={onRevoke}>
            Revoke
          </button>
        )}
      </span>
    </li>
  );
}
