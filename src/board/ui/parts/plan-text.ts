/** Reads and changes the steps in a plan's text. Pure. */
import type { PlanStep } from '../../../client/shapes.ts';

export interface Line extends PlanStep {
  line: number;
}

const ITEM = /^(\s*[-*+]\s+\[)([ xX~-])(\]\s+)(.*)$/;

/** Returns the steps that can be ticked. */
export function stepsIn(text: string): readonly Line[] {
  return text.split('\n').flatMap((source, line) => {
    const [, , mark = ' ', , rest = ''] = ITEM.exec(source) ?? [];
    if (!ITEM.test(source)) return [];
    const isBegun = /\(in progress\)\s*$/.test(rest);
    const isSkipped = mark === '-' || mark === '~' || /\(skipped\)\s*$/.test(rest);
    const status = mark.toLowerCase() === 'x' ? 'done' : isSkipped ? 'skipped' : isBegun ? 'in_progress' : 'pending';
    return [{ id: String(line), line, title: rest.replace(/\s*\((in progress|skipped)\)\s*$/, ''), status }];
  });
}

export function ticked(text: string, line: number, isDone: boolean): string {
  const all = text.split('\n');
  all[line] = (all[line] ?? '').replace(ITEM, (_all, open, _mark, close, rest: string) => {
    return `${open}${isDone ? 'x' : ' '}${close}${rest.replace(/\s*\((in progress|skipped)\)\s*$/, '')}`;
  });
  return all.join('\n');
}
