import { dayOf } from '../../../kernel/day.ts';
import { HubError } from '../../../kernel/errors.ts';
import { redact } from '../../../kernel/redact.ts';
import { addScene } from '../notes.ts';
import { docByKey, putDoc } from '../rows/docs.ts';
import { markExtracted, type MessageRow, unreadMessages } from '../rows/messages.ts';
import { recentNodes } from '../rows/nodes.ts';
import { THOUGHTS, THRESHOLDS } from '../rules.ts';
import { instruct, readAnswer, reflectionAnswer, scenesAnswer } from './answers.ts';
import { forModel } from './consolidate.ts';
import type { Finish, PatrolWork } from './work.ts';

const PAGE = 40;
const MOST_CHARACTERS = 60_000;
const RECENT = 30;

const EXTRACT =
  'This is part of a conversation. Name the scenes worth remembering: what happened, who was involved, on which dates (YYYY-MM-DD), and how important it is from 0 to 1.';
const SCENES =
  '{"scenes":[{"action":"…","actors":["…"],"when":["YYYY-MM-DD"],"setting":"…","feeling":"…","themes":["…"],"importance":0.5}]}';

/** Messages become scene notes. They are marked as read in the transaction that keeps what came of them. */
export async function extract(work: PatrolWork): Promise<Finish> {
  for (;;) {
    const page = await work.read((self) => unreadMessages(self, PAGE));
    if (page.length === 0) break;
    const messages = fitting(page);
    const answer = await work.ask!(
      instruct(EXTRACT, SCENES),
      JSON.stringify(messages.map(forReading)),
      work.signal,
    );
    const scenes = readAnswer(scenesAnswer, answer).scenes.filter(
      ({ importance = 0.5 }) => importance >= THRESHOLDS.extract,
    );
    await work.write(async (self) => {
      const read = await markExtracted(
        self,
        messages.map(({ id }) => id),
      );
      if (read < messages.length)
        throw new HubError('conflict', 'These messages were read by somebody else.');
      for (const scene of scenes) await addScene(self, scene);
      return { value: undefined, stats: { scenes_created: scenes.length } };
    });
  }
  return async () => ({});
}

/** At least one, however long it is. */
function fitting(messages: readonly MessageRow[]): readonly MessageRow[] {
  let left = MOST_CHARACTERS;
  const fit = messages.filter(({ content }) => (left -= content.length) >= 0);
  return fit.length > 0 ? messages.slice(0, fit.length) : messages.slice(0, 1);
}

function forReading({ role, content, at }: MessageRow): Record<string, string> {
  return { role, at: new Date(at).toISOString(), content: content.slice(0, MOST_CHARACTERS).toWellFormed() };
}

const REFLECT =
  'These are recent memories of a persona. Write its diary for today in three to five lines, and three to seven short thoughts it wants to keep in mind.';
const REFLECTION = '{"diary":["…"],"thoughts":["…"]}';

/** A diary entry and thoughts, when something new was remembered. */
export async function reflect(work: PatrolWork): Promise<Finish> {
  const recent = await work.read((self) => recentNodes(self, RECENT));
  const fresh = recent.filter(({ createdAt }) => createdAt >= work.startedAt);
  if (fresh.length === 0) return async () => ({});
  const answer = await work.ask!(
    instruct(REFLECT, REFLECTION),
    JSON.stringify(recent.map(forModel)),
    work.signal,
  );
  const { diary, thoughts } = readAnswer(reflectionAnswer, answer);
  return async (self) => {
    const day = dayOf(self.tx.now);
    const before = await docByKey(self, { target: 'diary', key: day });
    const entry = redact(diary.join('\n'));
    await putDoc(self, {
      target: 'diary',
      key: day,
      content: before ? `${before.content}\n\n${entry}` : entry,
    });
    await putDoc(self, {
      target: 'soul',
      key: THOUGHTS,
      content: redact(thoughts.map((each) => `- ${each}`).join('\n')),
    });
    return { diary_lines: diary.length };
  };
}
