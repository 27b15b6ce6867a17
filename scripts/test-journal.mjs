// What a test run wrote down of itself while it ran: which files had begun, and which tests needed a second try, and why. A run that is ended
// from outside leaves no report; its journal is there.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** The reporter of vitest; where it writes stands in the environment. */
export default class Journal {
  onTestModuleStart(module) {
    note('begun', relative(process.cwd(), module.moduleId));
  }

  onTestModuleEnd(module) {
    note('ended', relative(process.cwd(), module.moduleId));
  }

  onTestCaseResult(test) {
    if ((test.diagnostic()?.retryCount ?? 0) === 0) return;
    const name = `${relative(process.cwd(), test.module.moduleId)}: ${test.fullName}`;
    const seen = test.result().errors?.[0]?.message;
    note('again', seen ? `${name} (${plain(seen).slice(0, LONGEST_REASON)})` : name);
  }
}

const LONGEST_REASON = 400;

function plain(message) {
  return stripVTControlCharacters(message).replaceAll(/\s+/g, ' ');
}

function note(what, name) {
  const file = process.env.HOLDFAST_TEST_JOURNAL;
  if (file) appendFileSync(file, `${what} ${name.replaceAll('\n', ' ')}\n`);
}

/** `open`: files that had begun and not ended; `again`: tests that were tried a second time. */
export function readJournal(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const told = (what) =>
    lines.filter((line) => line.startsWith(`${what} `)).map((line) => line.slice(what.length + 1));
  const ended = told('ended');
  return { open: told('begun').filter((name) => !ended.includes(name)), ended, again: told('again') };
}
