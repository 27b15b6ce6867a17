import { z } from 'zod';
import { newId } from '../../kernel/ids.ts';
import { redact } from '../../kernel/redact.ts';
import type { Database } from '../../store/database.ts';
import { actorFor } from '../../store/calls.ts';
import { toolCallerOf, defineWorldTool, type WorldTool } from '../broker/broker.ts';
import { insertNote } from './note-rows.ts';

const SAFE = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const;

/** The two documented builtins that need nothing but the database. */
export function plainBuiltins(db: Database): WorldTool[] {
  return [
    defineWorldTool({
      name: 'echo',
      title: 'Echo',
      description: 'Echo a message back. Safe, no side effects.',
      input: z.object({ message: z.string() }),
      annotations: { ...SAFE, readOnlyHint: true, idempotentHint: true },
      scope: 'tools:call',
      source: 'builtin',
      risk: 'safe',
      handler: async ({ message }) => ({ ok: true, value: undefined, text: message }),
    }),
    defineWorldTool({
      name: 'note',
      title: 'Note',
      description: 'Record a short note. Safe.',
      input: z.object({ note: z.string().min(1).max(20_000) }),
      annotations: SAFE,
      scope: 'tools:call',
      source: 'builtin',
      risk: 'safe',
      async handler({ note: given }, { who }) {
        const note = redact(given);
        const id = await db.write(actorFor(who), async (tx) => {
          const noteId = newId();
          const { agentId, teamId } = toolCallerOf(who);
          await insertNote(tx, { id: noteId, note, agentId, teamId, createdAt: tx.now });
          tx.emit({ kind: 'note.stored', subject: noteId, realm: 'hub' });
          return noteId;
        });
        return { ok: true, value: undefined, text: `noted: ${note}`, meta: { noteId: id } };
      },
    }),
  ];
}
