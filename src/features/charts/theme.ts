/**
 * The look of charts: one text colour, two greys, and seven colours that people with any colour vision can tell apart.
 */
import type { Colour } from './canvas.ts';
import type { TextStyle } from './text.ts';

export const WHITE: Colour = [255, 255, 255];
export const INK: Colour = [31, 41, 51];
export const GREY: Colour = [97, 106, 117];
export const GRID: Colour = [229, 232, 236];
export const AXIS: Colour = [148, 156, 166];

/** Paul Tol's "bright" scheme. https://personal.sron.nl/~pault/ */
export const PALETTE: readonly Colour[] = [
  [68, 119, 170],
  [238, 102, 119],
  [34, 136, 51],
  [204, 187, 68],
  [102, 204, 238],
  [170, 51, 119],
  [125, 131, 140],
];

export const colourOf = (series: number): Colour => PALETTE[series % PALETTE.length] ?? INK;

/** Sizes in pixels, in proportion to the picture. */
export interface Look {
  /** 1 for a picture of 1200 by 675. */
  scale: number;
  pad: number;
  title: TextStyle;
  label: TextStyle;
  strong: TextStyle;
}

export function lookFor(width: number, height: number): Look {
  const scale = Math.min(Math.max(Math.sqrt((width * height) / (1200 * 675)), 0.55), 2);
  return {
    scale,
    pad: 40 * scale,
    title: { size: 34 * scale, colour: INK, isBold: true },
    label: { size: 20 * scale, colour: GREY },
    strong: { size: 20 * scale, colour: INK },
  };
}
