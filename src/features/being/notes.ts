// Notes that wait for a patrol. What would fail in a patrol is refused here.
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { describeUnknown } from '../../mcp/validate.ts';
import { clean, takeTurn, tell } from './parts.ts';
import {
  countWaitingScenes,
  deleteNote,
  insertNote,
  latestNotes,
  noteById,
  type NoteRow,
  setNote,
} from './rows/notes.ts';
import type { Held } from './rows/whose.ts';
import { type Action, LIMITS, notFound, THRESHOLDS } from './rules.ts';
import { type NewScene, sceneSchema } from './scene.ts';
import type { notesShape, Said } from './shapes.ts';

export type OpenNote = Readonly<{
  id: string;
  type: 'scene' | 'note';
  content: unknown;
  repair_required?: true;
}>;

const LATEST = 50;

/** `update_notes`: replacing is deleting and inserting in one transaction, so nothing is lost when either fails. */
export async function updateNotes(
  self: Held,
  { action = 'append', scenes = [], notes = [], scene_ids: sceneIds = [] }: Said<typeof notesShape>,
) {
  if (scenes.length === 0 && notes.length === 0)
    throw new HubError('invalid', 'give at least one of scenes or notes');
  if (action === 'update' && sceneIds.length === 0)
    throw new HubError('invalid', 'scene_ids is required with action update: the scenes to replace');
  if (action === 'append' && sceneIds.length > 0)
    throw new HubError('invalid', 'scene_ids is for action update only');
  await takeTurn(self);
  for (const id of new Set(sceneIds))
    if ((await deleteNote(self, id, 'scene')) === 0) throw notFound('scene', id);
  const ids = { scenes: [] as string[], notes: [] as string[] };
  for (const scene of scenes) ids.scenes.push(await addScene(self, scene));
  for (const note of notes) ids.notes.push(await addNote(self, note));
  const waiting = await countWaitingScenes(self);
  if (waiting > LIMITS.waitingScenes)
    throw new HubError(
      'limited',
      `More than ${LIMITS.waitingScenes} scenes wait for a patrol; run one first.`,
    );
  tell(self, 'notes_updated', { scenes: scenes.length, notes: notes.length });
  return { ids, waiting, startsPatrol: scenes.length > 0 && waiting >= THRESHOLDS.autoPatrol };
}

export async function addScene(self: Held, scene: NewScene): Promise<string> {
  const id = newId();
  await insertNote(self, { id, kind: 'scene', content: JSON.stringify(cleanScene(scene)) });
  return id;
}

async function addNote(self: Held, text: string): Promise<string> {
  const id = newId();
  await insertNote(self, { id, kind: 'note', content: clean(text, 'a note') });
  return id;
}

function cleanScene(scene: NewScene): NewScene {
  const each = (texts: readonly string[], what: string) => texts.map((text) => clean(text, what));
  return {
    ...scene,
    action: clean(scene.action, 'action'),
    actors: each(scene.actors, 'an actor'),
    ...(scene.setting !== undefined && { setting: clean(scene.setting, 'setting') }),
    ...(scene.feeling !== undefined && { feeling: clean(scene.feeling, 'feeling') }),
    ...(scene.themes !== undefined && { themes: each(scene.themes, 'a theme') }),
  };
}

/** The latest, or one. */
export async function listNotes(self: Held, key: string | undefined) {
  if (key === undefined) {
    const rows = await latestNotes(self, LATEST);
    return { message: `${rows.length} notes`, entries: rows.map(shownNote) };
  }
  const note = await noteById(self, key);
  if (!note) throw notFound('note', key);
  return { message: 'one note', entries: [shownNote(note)] };
}

type NoteChange = Readonly<{
  action: Exclude<Action, 'get'>;
  content?: string | undefined;
  key?: string | undefined;
}>;

export async function changeNote(self: Held, { action, content, key }: NoteChange) {
  if (action === 'append') {
    if (content === undefined) throw new HubError('invalid', 'content is required to write notes');
    if (key !== undefined)
      throw new HubError('invalid', 'a new note gets its own id; leave key out, or use update');
    return { message: 'note saved', key: await addNote(self, content) };
  }
  if (key === undefined) throw new HubError('invalid', 'key is required for notes: the id of a note');
  const note = await noteById(self, key);
  if (!note) throw notFound('note', key);
  if (action === 'delete') {
    await deleteNote(self, key);
    return { message: 'note deleted', key };
  }
  if (content === undefined) throw new HubError('invalid', 'content is required to write notes');
  const text = note.kind === 'scene' ? sceneText(content) : clean(content, 'content');
  await setNote(self, key, text);
  return { message: 'note updated', key, before: note.content, after: text };
}

/** A scene stays a scene: what would fail in a patrol is refused here. */
function sceneText(content: string): string {
  const scene = readScene(content);
  const unknown = scene && describeUnknown(sceneSchema, JSON.parse(content));
  if (unknown !== undefined) throw new HubError('invalid', unknown);
  if (scene) return JSON.stringify(cleanScene(scene));
  throw new HubError(
    'invalid',
    'a scene must be JSON with action, actors and when; write free text as a note instead',
  );
}

/** Undefined for what is no scene, however it got there. */
export function readScene(content: string): NewScene | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    // Text that is no JSON is what the caller is told about.
    return undefined;
  }
  const parsed = sceneSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

export async function openNotes(self: Held): Promise<OpenNote[]> {
  return (await latestNotes(self, LATEST)).toReversed().map(shownNote);
}

function shownNote({ id, kind, state, content }: NoteRow): OpenNote {
  const shown = kind === 'scene' && state === 'open' ? (JSON.parse(content) as unknown) : content;
  return { id, type: kind, content: shown, ...(state === 'failed' && { repair_required: true as const }) };
}
