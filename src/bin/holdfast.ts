import { launch } from './launch.ts';

launch('holdfast', () => import('./holdfast-main.ts').then(({ main }) => main(process.argv.slice(2))));
