// What clients did to one task and what they were told, by one clock: the machine's monotonic one.
export type Asked =
  | Readonly<{ op: 'claim'; agent: string }>
  | Readonly<{ op: 'assign'; agent: string }>
  | Readonly<{ op: 'release' | 'finish'; fence: number }>
  | Readonly<{ op: 'read' }>;

/** `lost`: no answer came, so it may have happened at any time since, or never. */
export type Answer =
  | Readonly<{ is: 'taken'; fence: number }>
  | Readonly<{ is: 'ok' }>
  | Readonly<{ is: 'seen'; status: string; holder: string | null }>
  | Readonly<{ is: 'refused'; code: string }>
  | Readonly<{ is: 'lost' }>;

export type Call = Readonly<{
  client: number;
  task: string;
  asked: Asked;
  answer: Answer;
  /** Milliseconds. What is lost has no end. */
  began: number;
  ended: number;
}>;
