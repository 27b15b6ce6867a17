import { type Figures, figuresOf, type Half, type Share } from './figures.ts';

/** `npm run scan`: both halves. Names are printed only of the half that rules may be written for. */
const share = ({ found, of }: Share) => `${found}/${of} = ${(found / of).toFixed(3)}`;

function print(half: Half, { poisoned, honest, real }: Figures): void {
  process.stdout.write(
    `${half}: poisoned found ${share(poisoned)}, honest flagged ${share(honest)}, real servers flagged ${share(real)}\n`,
  );
}

const dev = figuresOf('dev');
print('dev', dev);
for (const name of [...dev.honest.names, ...dev.real.names]) process.stdout.write(`  flagged: ${name}\n`);
print('heldout', figuresOf('heldout'));
