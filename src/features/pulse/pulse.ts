// Pulse: how the days went, made of what all rooms count of themselves.
import { requirePerson } from '../../kernel/principal.ts';
import type { Call, Acting } from '../../store/calls.ts';
import { spanOf } from './rows.ts';
import { type AskPulse, NOTHING, type Pulse } from './shapes.ts';

export { byDay, MOST_ROWS } from './rows.ts';
export type { AskPulse, Pulse } from './shapes.ts';

type PulseGround = Readonly<{ acting: Acting; now(): number; rooms(): readonly AskPulse[] }>;

type PulseRequest = Readonly<{ days: number; offsetMin: number; team: string | undefined }>;

export type PulseService = ReturnType<typeof createPulse>;

export function createPulse({ acting, now, rooms }: PulseGround) {
  return {
    read: (call: Call, request: PulseRequest): Promise<Pulse> => {
      requirePerson(call.who, 'Looking at how the days went');
      const span = spanOf({ ...request, now: now() });
      return acting.look(call, async (q) => {
        const pulse = { ...NOTHING };
        for (const ask of rooms()) Object.assign(pulse, await ask(q, span));
        return { ...pulse, first: span.first, days: request.days, now: span.now };
      });
    },
  };
}
