import { paintLines, type PaintRequest, type Painted } from './paint.ts';

/** Reading lines takes time that the page does not have. */
declare const self: {
  addEventListener(kind: 'message', hear: (event: MessageEvent<PaintRequest>) => void): void;
  postMessage(message: Painted): void;
};

self.addEventListener('message', ({ data: { id, path, lines } }) =>
  self.postMessage({ id, paints: paintLines(path, lines) }),
);
