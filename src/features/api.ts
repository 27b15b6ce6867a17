// What every route of the hub takes and answers: read by the command line, the page, hooks, tests and programs. Types only.
import type { ApiOf } from '../operation/client.ts';
import type { keyOperations, seatOperations, tokenOperations } from './access/operations.ts';
import type { sessionHookOperations } from './attach/hooks/operations.ts';
import type { attachOperations } from './attach/operations.ts';
import type { beingOperations } from './being/operations.ts';
import type { boardOperations } from './board/operations.ts';
import type { transferOperations } from './board/operations/transfer.ts';
import type { syncOperations } from './board/operations/sync.ts';
import type { peopleOperations } from './board/operations/people.ts';
import type { brainOperations } from './brain/operations.ts';
import type { brokerOperations } from './broker/operations.ts';
import type { chatOperations } from './chat/operations.ts';
import type { noteOperations } from './coretools/operations.ts';
import type { hookOperations } from './dispatch/hooks/operations.ts';
import type { runOperations } from './dispatch/operations.ts';
import type { poolOperations } from './dispatch/pool/operations.ts';
import type { SendApi } from './dispatch/routes.ts';
import type { budgetOperations } from './dispatch/quota/operations.ts';
import type { workOperations } from './dispatch/work/operations.ts';
import type { configOperations } from './hub/config-operations.ts';
import type { hubOperations } from './hub/operations.ts';
import type { collisionOperations } from './landing/collisions/operations.ts';
import type { pullOperations } from './landing/pulls/operations.ts';
import type { landingOperations } from './landing/operations.ts';
import type { queueOperations } from './landing/ask/queue-operations.ts';
import type { memoryOperations } from './memory/operations.ts';
import type { noticeOperations } from './notices/operations.ts';
import type { mailOperations } from './peers/mail/operations.ts';
import type { personOperations } from './peers/person-operations.ts';
import type { registerOperations } from './peers/register/operations.ts';
import type { projectOperations } from './projects/operations.ts';
import type { pulseOperations } from './pulse/operations.ts';
import type { guardOperations, reservationOperations } from './reservations/operations.ts';
import type { reviewOperations } from './review/operations.ts';
import type { scheduleOperations } from './schedules/operations.ts';
import type { proposalOperations } from './sessions/lessons/operations.ts';
import type { sessionOperations } from './sessions/operations.ts';
import type { sourceOperations } from './sources/operations.ts';

export type Api = SendApi &
  ApiOf<
    (
      | typeof transferOperations
      | typeof syncOperations
      | typeof attachOperations
      | typeof beingOperations
      | typeof boardOperations
      | typeof brainOperations
      | typeof brokerOperations
      | typeof chatOperations
      | typeof hookOperations
      | typeof configOperations
      | typeof hubOperations
      | typeof keyOperations
      | typeof collisionOperations
      | typeof pullOperations
      | typeof landingOperations
      | typeof queueOperations
      | typeof mailOperations
      | typeof memoryOperations
      | typeof noteOperations
      | typeof noticeOperations
      | typeof peopleOperations
      | typeof personOperations
      | typeof poolOperations
      | typeof projectOperations
      | typeof proposalOperations
      | typeof pulseOperations
      | typeof registerOperations
      | typeof guardOperations
      | typeof reservationOperations
      | typeof runOperations
      | typeof reviewOperations
      | typeof scheduleOperations
      | typeof seatOperations
      | typeof sessionHookOperations
      | typeof sessionOperations
      | typeof sourceOperations
      | typeof tokenOperations
      | typeof budgetOperations
      | typeof workOperations
    )[number]
  >;
