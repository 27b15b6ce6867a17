// What a run said, without the secrets in it. Agents say their words in pieces and programs break their lines
// anywhere, so a frame is held back until it is known that no secret goes on in the next one.
import { createSeamMask, type Seams, type SeamMask } from '../../../kernel/redact-stream.ts';
import { redact, redactJson, redactValue } from '../../../kernel/redact.ts';
import type { Common } from '../frames/common.ts';
import type { StreamedFrame } from './events.ts';
import type { OutputLine } from './lines.ts';

export type Channel = StreamedFrame['kind'];

/** A line as it came. */
export type Frame = Readonly<{ channel: Channel; line: OutputLine; common: Common | undefined }>;

export interface FrameMask {
  add(frame: Frame): void;
  flush(): void;
}

type Stream = Readonly<{ kind: string; seam: SeamMask<Frame> }>;

/** What nothing follows for so long is taken for whole. */
const LONGEST_HELD_MS = 1_000;
/** More than is ever stored of a line, so that what is cut off is masked before it is cut. */
const MOST_LOOKED_AT = 96 * 1024;

export function createFrameMask(emit: (frame: Frame) => void): FrameMask {
  const streams = new Map<Channel, Stream>();
  let timer: NodeJS.Timeout | undefined;

  function streamFor(channel: Channel, kind: string, parts: Seams): SeamMask<Frame> {
    const known = streams.get(channel);
    if (known?.kind === kind) return known.seam;
    known?.seam.flush();
    const masked = parts === 'lines' ? maskedLine : maskedPiece;
    const seam = createSeamMask<Frame>(parts, (text, frame) => emit(masked(frame, text)));
    streams.set(channel, { kind, seam });
    return seam;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const { seam } of streams.values()) seam.flush();
  }

  return {
    add(frame) {
      const { channel, line, common } = frame;
      if (common && 'text' in common) {
        const parts = line.text.startsWith(common.text) ? 'lines' : 'pieces';
        const text = parts === 'lines' ? line.text.slice(0, MOST_LOOKED_AT) : common.text;
        streamFor(channel, `${parts} ${common.type}`, parts).add(text, frame);
      } else {
        streams.get(channel)?.seam.flush();
        emit({ channel, line: maskedJson(line), common: redactValue(common) as Common | undefined });
      }
      const isHolding = [...streams.values()].some(({ seam }) => seam.isHolding);
      if (isHolding) timer ??= setTimeout(flush, LONGEST_HELD_MS);
    },
    flush,
  };
}

/** The common form says again what the line says, or its beginning. */
function maskedLine({ channel, line, common }: Frame, text: string): Frame {
  const said = common as Readonly<{ type: 'text'; text: string }>;
  const lost = line.lost + Math.max(0, line.text.length - MOST_LOOKED_AT);
  const isWhole = said.text === line.text;
  return {
    channel,
    line: { text, lost },
    common: { ...said, text: isWhole ? text : text.slice(0, said.text.length) },
  };
}

function maskedPiece({ channel, line, common }: Frame, text: string): Frame {
  const said = common as Readonly<{ type: 'text'; text: string }>;
  const isOwnDoing = redact(said.text) === text;
  return {
    channel,
    line: maskedJson(line, isOwnDoing ? undefined : { from: said.text, to: text }),
    common: { ...said, text },
  };
}

/** `piece`: a part of a secret that nothing but its neighbours tells. */
function maskedJson(line: OutputLine, piece?: Readonly<{ from: string; to: string }>): OutputLine {
  if (line.text.length > MOST_LOOKED_AT) {
    // It is cut and no JSON any more. An escaped line end would stick to the word after it.
    const text = redact(line.text.slice(0, MOST_LOOKED_AT).replaceAll(/\\[nrt]/g, ' '));
    return { text, lost: line.lost + line.text.length - MOST_LOOKED_AT };
  }
  const swap = piece && ((text: string) => (text === piece.from ? piece.to : text));
  return { ...line, text: redactJson(line.text, swap) };
}
