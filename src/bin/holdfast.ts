import { launch } from './launch.ts';

launch('holdfast', async () => {
  const [, , first, second, ...rest] = process.argv;
  const isHook = first === 'hooks' && second === 'run' && !process.stdin.isTTY;
  const input = isHook ? await readInput() : undefined;
  if (input !== undefined && (await (await import('./hook-main.ts')).runHookShortly(rest, input))) return;
  const { main } = await import('./holdfast-main.ts');
  await main(process.argv.slice(2), input);
});

/** Read by whoever comes first, and handed on: it can be read once. */
async function readInput(): Promise<string> {
  let input = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
  return input;
}
