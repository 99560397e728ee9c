/** Checks buttons, menus and layouts. https://discord.com/developers/docs/components/reference */
import { badLength, invalid, required, tooLong, wrongChoice } from './errors.ts';
import { type Fields, integer, isObject, lengthOf, list, textBetween } from './fields.ts';

const ROW = 1;
const BUTTON = 2;
const SELECTS = new Set([3, 5, 6, 7, 8]);
const LAYOUTS = new Set([9, 10, 11, 12, 13, 14, 17]);
const LINK = 5;
const PREMIUM = 6;
const MAX_LAYOUT = 40;

export interface Button {
  label: string;
  customId: string | null;
  url: string | null;
  style: number;
  disabled: boolean;
}

function customId(fields: Fields, path: string, taken: Set<string>): void {
  const id = textBetween(fields, 'custom_id', 1, 100, `${path}.custom_id`);
  if (taken.has(id)) {
    throw invalid(`${path}.custom_id`, 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
  }
  taken.add(id);
}

function checkButton(fields: Fields, path: string, taken: Set<string>): void {
  const style = integer(fields, 'style', `${path}.style`);
  if (style === null) throw required(`${path}.style`);
  if (style < 1 || style > PREMIUM) throw wrongChoice(`${path}.style`, [1, 2, 3, 4, 5, 6]);
  if (fields.label !== undefined && lengthOf(String(fields.label)) > 80) throw tooLong(`${path}.label`, 80);
  if (style === LINK) {
    if (fields.custom_id !== undefined) {
      throw invalid(
        path,
        'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
        'A custom id and url cannot both be specified',
      );
    }
    const url = textBetween(fields, 'url', 1, 512, `${path}.url`);
    if (!/^(?:https?|discord):\/\/./i.test(url)) {
      throw invalid(
        `${path}.url`,
        'URL_TYPE_INVALID_SCHEME',
        `Scheme "${url.split(':')[0]}" is not supported. Scheme must be one of ('http', 'https', 'discord').`,
      );
    }
  } else if (style !== PREMIUM) customId(fields, path, taken);
  if (style !== PREMIUM && !fields.label && !fields.emoji) {
    throw invalid(path, 'BUTTON_COMPONENT_INVALID_LABEL_OR_EMOJI', 'A label or emoji must be specified');
  }
}

function checkInside(fields: Fields, path: string, taken: Set<string>): 'button' | 'select' {
  const type = integer(fields, 'type', `${path}.type`);
  if (type === BUTTON) {
    checkButton(fields, path, taken);
    return 'button';
  }
  if (type === null || !SELECTS.has(type)) throw wrongChoice(`${path}.type`, [2, 3, 5, 6, 7, 8]);
  customId(fields, path, taken);
  if (type === 3) {
    const options = list(fields, 'options', 25, `${path}.options`);
    if (options.length === 0) throw badLength(`${path}.options`, 1, 25);
    for (const [index, option] of options.entries()) {
      textBetween(option, 'label', 1, 100, `${path}.options.${index}.label`);
      textBetween(option, 'value', 1, 100, `${path}.options.${index}.value`);
    }
  }
  return 'select';
}

function checkRow(row: Fields, path: string, taken: Set<string>): void {
  const inside = list(row, 'components', 5, `${path}.components`);
  if (inside.length === 0) throw badLength(`${path}.components`, 1, 5);
  const kinds = inside.map((each, index) => checkInside(each, `${path}.components.${index}`, taken));
  if (kinds.includes('select') && kinds.length > 1) {
    throw invalid(path, 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width');
  }
}

/** Checks a message's components. `isLayout` tells whether it has the flag IS_COMPONENTS_V2. Throws 50035. */
export function readComponents(fields: Fields, isLayout: boolean): Fields[] {
  const top = list(fields, 'components', isLayout ? MAX_LAYOUT : 5);
  const taken = new Set<string>();
  let count = 0;
  const check = (each: Fields, path: string) => {
    count += 1;
    const type = integer(each, 'type', `${path}.type`);
    if (type === ROW) return checkRow(each, path, taken);
    if (!isLayout || type === null || !LAYOUTS.has(type)) {
      throw wrongChoice(`${path}.type`, isLayout ? [ROW, ...LAYOUTS] : [ROW]);
    }
    const inside = list(each, 'components', MAX_LAYOUT, `${path}.components`);
    for (const [index, child] of inside.entries()) check(child, `${path}.components.${index}`);
    if (isObject(each.accessory)) checkInside(each.accessory, `${path}.accessory`, taken);
  };
  for (const [index, each] of top.entries()) check(each, `components.${index}`);
  if (count > MAX_LAYOUT) throw tooLong('components', MAX_LAYOUT);
  return top;
}

/** Returns the rows of buttons, wherever they are in the layout. */
export function buttonsOf(components: Fields[]): Button[][] {
  return components.flatMap((each): Button[][] => {
    const inside = Array.isArray(each.components) ? each.components.filter(isObject) : [];
    if (each.type !== ROW) {
      const accessory = isObject(each.accessory) && each.accessory.type === BUTTON ? [[asButton(each.accessory)]] : [];
      return [...accessory, ...buttonsOf(inside)];
    }
    const row = inside.filter((child) => child.type === BUTTON).map(asButton);
    return row.length > 0 ? [row] : [];
  });
}

function asButton(fields: Fields): Button {
  const word = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    label: word(fields.label) ?? '',
    customId: word(fields.custom_id),
    url: word(fields.url),
    style: Number(fields.style),
    disabled: fields.disabled === true,
  };
}
