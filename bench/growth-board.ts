// A board of any size, written straight into its file: over the wire a million tasks would take a quarter of an hour.
import Database from 'better-sqlite3';

const TEAMS = 20;

/**
 * Six of ten tasks are done, three can be begun, one waits for another: what a board looks like that has been used for
 * long. Tasks of an empty board only.
 */
export function growBoard(file: string, count: number): void {
  const db = new Database(file);
  try {
    const task = db.prepare(`
      insert into tasks (id, title, description, status, priority, team_id, created_at, updated_at, completed_at, claim_order)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const link = db.prepare(
      'insert into task_dependencies (task_id, depends_on_task_id, created_at) values (?, ?, ?)',
    );
    const began = Date.now() - count;
    db.transaction(() => {
      for (let i = 0; i < count; i++) {
        const kind = i % 10;
        const isDone = kind < 6;
        const at = began + i;
        task.run(
          idOf(i),
          `task ${i} about ${WORDS[i % WORDS.length]!}`,
          null,
          isDone ? 'done' : 'todo',
          i % 4,
          `team-${Math.floor(i / 10) % TEAMS}`,
          at,
          at,
          isDone ? at : null,
          i,
        );
        if (kind === 9) link.run(idOf(i), idOf(i - 1), at);
      }
    })();
    db.exec('analyze');
  } finally {
    db.close();
  }
}

const WORDS = [
  'keel',
  'mast',
  'rudder',
  'anchor',
  'hull',
  'sail',
  'rope',
  'deck',
  'galley',
  'compass',
  'tide',
];

function idOf(i: number): string {
  return `0190aaaa-0000-7000-8000-${i.toString(16).padStart(12, '0')}`;
}
