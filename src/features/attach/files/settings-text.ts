/** How to put one entry into the text of a settings file and how to take it out again, byte for byte. */
export interface SettingsText {
  /** Is exactly this entry there already? */
  has(text: string, path: readonly string[], entry: Readonly<Record<string, unknown>>): boolean;
  /** The text of whatever stands there, ours of today or of an earlier version. */
  read(text: string, path: readonly string[]): string | undefined;
  put(text: string, path: readonly string[], entry: Readonly<Record<string, unknown>>): Put;
  /** The reverse of `put`, also when the file has changed elsewhere since. */
  remove(text: string, path: readonly string[], undo?: Undo): string;
  /** Is nothing left in it that somebody could miss? */
  isEmpty(text: string): boolean;
}

export type Put = Readonly<{ text: string; undo: Undo }>;

export type Undo = Readonly<{
  /** The text of the entry that stood there before. */
  previous?: string;
  /** How many containers of the path were there before; the others came with the entry. */
  kept?: number;
  /** What an empty place looked like before the entry came. */
  hollow?: string;
  /** Lists that were there before one of ours joined them. */
  lists?: readonly string[];
  /** What was put before a block of lines to keep it apart. */
  lead?: string;
}>;
