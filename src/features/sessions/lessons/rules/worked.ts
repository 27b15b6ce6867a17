// A command that finally worked, and the same error met twice and solved: what failed, with what it said, and what did it in the end.
import { errorLine, isLooking, programOf, signatureOf, type TriedCommand, triedUntil } from '../commands.ts';
import { type Lesson, type LessonRule, titleOf } from '../lesson.ts';

/** Of the place one works in, not of the code: the next session meets it again. */
const OF_THE_PLACE =
  /not found|couldn['’]?t find|could not find|cannot find|can['’]t find|no such|no module|missing|unknown|unrecognized|does not (?:contain|exist)|doesn['’]?t exist|not installed|unsupported|requires?\b|permission denied|refused|could not resolve|in use|unexpected token|version/i;
/** Gone by itself the next time, or everyday. */
const PASSES = /timed? ?out|network|conflict|rejected|rate limit|temporar/i;
const EVERYDAY = /^(?:git|cd|echo|rm|mv|cp|mkdir)$/;

export const worked: LessonRule = (turns, at) => {
  const last = turns[at]!;
  if (last.kind !== 'result' || last.isError) return undefined;
  const { tried, edits } = triedUntil(turns, at);
  const done = tried.at(-1);
  if (done?.turn !== last.turn || isLooking(done.command) || EVERYDAY.test(programOf(done.command)))
    return undefined;
  const failed = failedBefore(tried.slice(0, -1), done);
  const first = failed[0];
  if (first === undefined || edits.some((turn) => turn > first.turn)) return undefined;
  const between = tried.slice(tried.indexOf(first) + 1, -1).filter(({ isError }) => !isError);
  const isSame = failed.some(({ command }) => command === done.command);
  if (isSame && between.length === 0) return undefined;
  if (failed.length === 1 && isTypo(first.command, done.command)) return undefined;
  return lessonOf({ failed, between: isSame ? between : [], done });
};

/** What failed for a reason of the place, and was tried for the same end. */
function failedBefore(tried: readonly TriedCommand[], done: TriedCommand): TriedCommand[] {
  const isReason = ({ output }: TriedCommand) =>
    OF_THE_PLACE.test(errorLine(output)) && !PASSES.test(errorLine(output));
  const failed = tried.filter((each) => each.isError && !isLooking(each.command) && isReason(each));
  const isRelated = failed.length >= 2 || failed.some(({ command }) => sharesWord(command, done.command));
  return isRelated ? failed : [];
}

/** One word at least that is more than an option: the program, or what it is to do. */
function sharesWord(a: string, b: string): boolean {
  const words = (text: string) => text.split(/[\s:-]+/).filter((word) => /^[\w./]{3,}$/.test(word));
  const own = new Set(words(a));
  return words(b).some((word) => own.has(word));
}

/** One word with a letter or two too many, too few or exchanged. */
function isTypo(a: string, b: string): boolean {
  const [one, two] = [a.split(' '), b.split(' ')];
  const different = one.flatMap((word, i) => (word === two[i] ? [] : [[word, two[i] ?? ''] as const]));
  if (one.length !== two.length || different.length !== 1) return false;
  const letters = (word: string) => Array.from(word).toSorted().join('');
  const [was, is] = different[0]!;
  return (
    letters(was) === letters(is) ||
    (Math.abs(was.length - is.length) === 1 && was.slice(0, 2) === is.slice(0, 2))
  );
}

type Story = Readonly<{
  failed: readonly TriedCommand[];
  between: readonly TriedCommand[];
  done: TriedCommand;
}>;

function lessonOf({ failed, between, done }: Story): Lesson {
  const { command, output } = failed.at(-1)!;
  const isTwice = new Set(failed.map((each) => signatureOf(each.output))).size < failed.length;
  const what = [...between, done].map((each) => `\`${each.command.slice(0, 300)}\``).join(', then ');
  const text = `\`${command.slice(0, 300)}\` failed: ${errorLine(output).slice(0, 300)}. What worked: ${what}.`;
  return {
    turn: done.turn,
    kind: isTwice ? 'solved' : 'worked',
    title: titleOf(`${programOf(command)}: ${errorLine(output)}`),
    text,
  };
}
