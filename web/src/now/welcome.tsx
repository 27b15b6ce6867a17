import type { ReactNode } from 'react';
import { Attach } from '../settings/attach.tsx';
import { Mark } from '../parts/icons.tsx';

/** An empty hub: how to attach a client, and it waits. The first agent is greeted where this stood. */
export function Welcome(): ReactNode {
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-10">
      <Mark size={40} />
      <h1 className="text-heading mt-3 font-semibold">The water is still</h1>
      <p className="text-soft mt-1 max-w-[60ch]">
        No agent has come by yet. Attach the one you use; it appears here the moment it connects, with a name
        and its project. Then tell it: “claim the next task on the board”.
      </p>
      <div className="mt-6">
        <h2 className="section-title border-line mb-3 border-b pb-1">Attach an agent</h2>
        <Attach />
      </div>
      <p role="status" className="text-soft mt-6">
        Waiting for the first one…
      </p>
    </div>
  );
}
