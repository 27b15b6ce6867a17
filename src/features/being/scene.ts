import { z } from 'zod';
import { isDay } from '../../kernel/day.ts';

/** What happened, as clients tell it and as memories keep it. */
const text = (max: number) => z.string().trim().min(1).max(max);

export const sceneSchema = z.object({
  action: text(4_000).describe('What happened'),
  actors: z.array(text(200)).min(1).max(50).describe('Who was involved'),
  when: z
    .array(z.string().refine(isDay, 'must be an existing date as YYYY-MM-DD'))
    .min(1)
    .max(50)
    .describe('Date(s) in YYYY-MM-DD format'),
  setting: text(1_000).optional().describe('Where / context'),
  feeling: text(2_000).optional().describe('Subjective first-person impression'),
  themes: z.array(text(100)).max(30).optional().describe('Theme tags'),
  importance: z.number().min(0).max(1).optional().describe('0.0–1.0 (default 0.5)'),
});
export type NewScene = z.output<typeof sceneSchema>;

/** A date, or what happened on it where several scenes became one. */
export type SceneMoment = string | Readonly<{ date: string; action: string }>;

export type Scene = Readonly<{
  actors: readonly string[];
  when: readonly SceneMoment[];
  setting?: string | undefined;
}>;

export type Told = Readonly<{
  action: string;
  scene: Scene;
  feeling: string | null;
  themes: readonly string[];
}>;

export function dateOf(moment: SceneMoment): string {
  return typeof moment === 'string' ? moment : moment.date;
}

/** One line: when, where, what, how it felt. */
export function sceneLine({ action, scene, feeling }: Told): string {
  const dates = [...new Set(scene.when.map(dateOf))].join(', ');
  const parts = [
    dates,
    scene.actors.join(', '),
    scene.setting ?? '',
    action,
    feeling === null ? '' : `(${feeling})`,
  ];
  return parts
    .filter((part) => part !== '')
    .join(' — ')
    .replace(/\s+/g, ' ');
}

export function embeddingText({ action, scene, feeling }: Told): string {
  const dates = [...new Set(scene.when.map(dateOf))].join(', ');
  return `[${dates}] ${action}${feeling === null ? '' : ` / ${feeling}`}`;
}

/** Several scenes as one: everybody who was there, every date with what happened on it, every place and theme. */
export function mergeScenes(told: readonly Told[]): Pick<Told, 'scene' | 'themes'> {
  const when = told.flatMap(({ scene, action }) =>
    scene.when.map((moment) => (typeof moment === 'string' ? { date: moment, action } : moment)),
  );
  const unique = new Map(when.map((moment) => [`${moment.date} ${moment.action}`, moment]));
  const setting = [...new Set(told.flatMap(({ scene }) => scene.setting ?? []))].join('; ');
  return {
    scene: {
      actors: [...new Set(told.flatMap(({ scene }) => scene.actors))],
      when: [...unique.values()].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)),
      ...(setting !== '' && { setting }),
    },
    themes: [...new Set(told.flatMap(({ themes }) => themes))],
  };
}
