/** Shapes of records in small plain checks: what files of our own must hold before anything relies on it. Unknown fields are kept. */

export type Is = (value: unknown) => boolean;

/** A zod schema, or anything that judges alike. */
export interface Schema<T> {
  safeParse(value: unknown): { success: boolean; data?: T | undefined };
}

export const anything: Is = () => true;
export const isText: Is = (value) => typeof value === 'string';
export const isFilled: Is = (value) => typeof value === 'string' && value !== '';
export const isNumber: Is = (value) => Number.isFinite(value);
export const isCount: Is = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
export const isInteger: Is = (value) => Number.isSafeInteger(value);
export const isFlag: Is = (value) => typeof value === 'boolean';
/** ISO 8601, or anything else that is read as a time. */
export const isTime: Is = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

export const optional =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);

export const oneOf =
  (...values: readonly unknown[]): Is =>
  (value) =>
    values.includes(value);

export const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is);

/** An object with these fields, which are its own, and any others. */
export const objectOf =
  (fields: Readonly<Record<string, Is>>): Is =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const own = new Map<string, unknown>(Object.entries(value));
    return Object.entries(fields).every(([name, is]) => is(own.get(name)));
  };

/** Whoever writes the shape answers for the type. */
export const shape = <T>(is: Is): Schema<T> => ({
  safeParse: (value) => (is(value) ? { success: true, data: value as T } : { success: false }),
});
