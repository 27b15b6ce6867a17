import type { ReactNode } from 'react';
import { useProject, useSetPlace } from '../frame/place.ts';
import { Command } from '../parts/empty.tsx';
import { useMayRun } from '../runs/queries.ts';
import { ScheduleForm } from './form.tsx';
import { useAdd } from './queries.ts';

/** A new one, in the project one looks at. A webhook's secret is shown here, once. */
export function AddSchedule({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const mayRun = useMayRun();
  const project = useProject() ?? null;
  const setPlace = useSetPlace();
  const add = useAdd();
  const secret = add.data?.secret;
  if (!mayRun)
    return (
      <div className="text-soft px-4 pb-3">
        Starting agents needs you to sign in; this opens the page with a link that does.
        <Command text="holdfast open" />
      </div>
    );
  if (secret !== undefined)
    return (
      <div className="px-4 pb-3">
        <p>
          Post JSON to <code>{add.data?.schedule.webhook}</code> of this hub, signed with this secret. It is
          shown this once.
        </p>
        <Command text={secret} />
        <button className="button" onClick={onClose}>
          Done
        </button>
      </div>
    );
  return (
    <div className="mx-4 my-3 max-w-[860px]">
      <ScheduleForm
        label="New schedule"
        verb="Create"
        of="schedule"
        teamId={project}
        sending={add}
        onSend={({ folder, ...said }, done) =>
          add.mutate(
            { ...said, ...(folder !== null && { folder }) },
            {
              onSuccess: (added) => {
                done();
                if (added.secret !== undefined) return;
                onClose();
                // Also where the list leaves it out, because it belongs to another project or none.
                setPlace({ at: added.schedule.id });
              },
            },
          )
        }
        onClose={onClose}
      />
    </div>
  );
}
