/** The table of methods. */
import { editMethods } from './methods-edit.ts';
import { infoMethods } from './methods-info.ts';
import { sendMethods } from './methods-send.ts';
import type { Method } from './platform.ts';

const METHODS: Record<string, Method> = { ...sendMethods, ...editMethods, ...infoMethods };
/** Method names are matched regardless of case. */
const BY_NAME = new Map(Object.entries(METHODS).map(([name, method]) => [name.toLowerCase(), { name, method }]));

/** Returns the method of that name with its proper spelling; undefined if there is none. */
export function findMethod(name: string): { name: string; method: Method } | undefined {
  return BY_NAME.get(name.toLowerCase());
}
