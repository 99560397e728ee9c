/** Describes the settings of a schema: for docs/configuration.md, and for forms. */
import { z } from 'zod';

export type SettingKind = 'text' | 'number' | 'flag' | 'choice' | 'list' | 'other';

export interface SettingInfo {
  /** Its steps; `*` stands for a name that people choose, and for the number of an item. */
  path: readonly string[];
  /** Like `path`, with words such as NAME in place of `*`. */
  shown: string;
  kind: SettingKind;
  /** English, in Markdown; absent for the sections of channels, which have pages of their own. */
  about?: string;
  usual?: unknown;
  choices?: readonly string[];
  /** A number may also be this word. */
  word?: string;
  least?: number;
  most?: number;
  isWhole?: boolean;
  /** It applies without a restart. */
  isLive?: boolean;
}

interface At {
  path: readonly string[];
  shown: string;
  /** A section's settings are live if it is. */
  isLive?: boolean;
  /** What stands for a key that people choose. */
  each: string;
}

/** A setting with a description is one; so is a leaf without. Everything else is a section of settings. */
export function describeSettings(
  schema: z.core.$ZodType,
  above: At = { path: [], shown: '', each: 'NAME' },
): SettingInfo[] {
  const known = z.globalRegistry.get(schema);
  const at: At = known?.live === true ? { ...above, isLive: true } : above;
  const each = typeof known?.each === 'string' ? known.each : at.each;
  if (known?.description !== undefined) return [{ ...settingInfo(schema, at), about: known.description }];
  const below = (part: z.core.$ZodType, step: string, name: string) =>
    describeSettings(part, {
      path: [...at.path, step],
      shown: at.shown === '' ? name : `${at.shown}.${name}`,
      each: 'NAME',
      ...(at.isLive && { isLive: true }),
    });
  if (schema instanceof z.ZodObject)
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([key, part]) => below(part, key, key));
  if (schema instanceof z.ZodRecord) return below(schema.valueType, '*', each);
  if (schema instanceof z.ZodArray && isSection(schema.element)) return below(schema.element, '*', 'N');
  const inner = innerOf(schema);
  if (inner === undefined || isLeaf(schema)) return [settingInfo(schema, at)];
  return describeSettings(inner, { ...at, each });
}

const isSection = (schema: z.core.$ZodType): boolean => innermost(schema) instanceof z.ZodObject;
const isLeaf = (schema: z.core.$ZodType): boolean => {
  const base = innermost(schema);
  if (base instanceof z.ZodArray) return !isSection(base.element);
  return !(base instanceof z.ZodObject || base instanceof z.ZodRecord);
};

function settingInfo(schema: z.core.$ZodType, { path, shown, isLive }: At): SettingInfo {
  const usual = usualOf(schema);
  return {
    path,
    shown,
    ...(isLive && { isLive }),
    ...(usual !== undefined && { usual }),
    ...inputForm(innermost(schema)),
  };
}

type Form = Omit<SettingInfo, 'path' | 'shown' | 'about' | 'usual'>;

function inputForm(base: z.core.$ZodType): Form {
  if (base instanceof z.ZodEnum) return { kind: 'choice', choices: base.options.map(String) };
  if (base instanceof z.ZodBoolean) return { kind: 'flag' };
  if (base instanceof z.ZodNumber) return { kind: 'number', ...boundsOf(base) };
  if (base instanceof z.ZodString) return { kind: 'text' };
  if (base instanceof z.ZodArray) {
    const item = inputForm(innermost(base.element));
    if (item.kind === 'choice') return { ...item, kind: 'list' };
    return { kind: item.kind === 'text' ? 'list' : 'other' };
  }
  if (!(base instanceof z.ZodUnion)) return { kind: 'other' };
  const [word, other] = base.options.map(innermost);
  if (!(word instanceof z.ZodLiteral) || other === undefined) return { kind: 'other' };
  const own = String([...word.values][0]);
  if (other instanceof z.ZodNumber) return { kind: 'number', word: own, ...boundsOf(other) };
  return other instanceof z.ZodBoolean ? { kind: 'choice', choices: [own, 'true', 'false'] } : { kind: 'other' };
}

function boundsOf(schema: z.ZodNumber): { least?: number; most?: number; isWhole?: true } {
  const { minValue: least, maxValue: most } = schema;
  const isGiven = (value: number | null): value is number =>
    value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return {
    ...(isGiven(least) && { least }),
    ...(isGiven(most) && { most }),
    ...(schema.format?.includes('int') && { isWhole: true }),
  };
}

function usualOf(schema: z.core.$ZodType): unknown {
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue;
  const inner = innerOf(schema);
  return inner && usualOf(inner);
}

export function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = innerOf(schema);
  return inner === undefined ? schema : innermost(inner);
}

/** The schema within one that adds a default, leaves it out or changes a value on its way. */
export function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodTransform ? schema.out : schema.in;
  const isAround = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return isAround || schema instanceof z.ZodExactOptional ? schema.def.innerType : undefined;
}
