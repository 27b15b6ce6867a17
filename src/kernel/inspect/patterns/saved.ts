import { FETCH } from './rule.ts';

const FETCHES = new RegExp(String.raw`\b${FETCH}`, 'u');
const SAVED =
  /(?:(?:^| )(?:-o|-O|--output|--output-document)[ =]?|>+ ?)(\S{1,200})|\/([\w.-]{1,100})(?=$|[\s?#])/gu;
const RUN =
  /(?:^|[;&|] ?)(?:(?:ba|z|da)?sh|source|\.|python[0-9.]*|node|perl|ruby)? ?(?:-\S{1,20} )?((?:\.\/|\/|[\w-])\S{0,200})/gu;
const MOST = 50;

/** Downloads to a file and runs the file: found by the name, so that fetching one thing and running another is no finding. */
export function runsWhatItSaved(view: string): boolean {
  const commands = view.split(/&&|\|\||;|\n/, 200);
  const saved = new Set<string>();
  for (const command of commands.map((each) => each.trim())) {
    for (const [, name] of command.matchAll(RUN)) if (saved.has(nameOf(name!))) return true;
    if (saved.size >= MOST || !FETCHES.test(command)) continue;
    for (const [, given, ofAddress] of command.matchAll(SAVED)) saved.add(nameOf((given ?? ofAddress)!));
  }
  return false;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
