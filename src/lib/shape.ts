/**
 * Validates records with small plain checks: what files of our own must hold before anything relies on it. Unknown
 * fields are kept. A shape whose checks don't match its type fails to compile. zod isn't used because of start-up cost:
 * for the nine kinds of session lines alone it takes 9 to 17 ms of CPU to build its schemas and 3 to 10 ms for the
 * first line, where these take 0.5 ms. Warm, on 210 lines, both take as long as parsing them, 0.5 to 1 ms (November
 * 2026, Node 24).
 */

// A check that accepts only values of this type. The type is phantom: only the compiler sees it.
export type Is<T = unknown> = ((value: unknown) => boolean) & { readonly lets?: (value: T) => void };

type Passing<I> = I extends Is<infer T> ? T : unknown;
type Missable<F> = { [K in keyof F]: undefined extends Passing<F[K]> ? K : never }[keyof F];
type Holding<F> = { [K in Exclude<keyof F, Missable<F>>]: Passing<F[K]> } & { [K in Missable<F>]?: Passing<F[K]> };

/** A zod schema, or anything with the same interface. */
export interface Schema<T> {
  safeParse(value: unknown): { success: boolean; data?: T | undefined };
}

export const anything: Is = () => true;
export const isText: Is<string> = (value) => typeof value === 'string';
export const isFilled: Is<string> = (value) => typeof value === 'string' && value !== '';
export const isNumber: Is<number> = (value) => Number.isFinite(value);
export const isCount: Is<number> = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
export const isInteger: Is<number> = (value) => Number.isSafeInteger(value);
export const isFlag: Is<boolean> = (value) => typeof value === 'boolean';
/** Accepts ISO 8601, or anything else that parses as a time. */
export const isTime: Is<string> = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

export const optional =
  <T>(is: Is<T>): Is<T | undefined> =>
  (value) =>
    value === undefined || is(value);

export const oneOf =
  <const T>(...values: readonly T[]): Is<T> =>
  (value) =>
    values.some((each) => each === value);

export const listOf =
  <T>(is: Is<T>): Is<readonly T[]> =>
  (value) =>
    Array.isArray(value) && value.every((each) => is(each));

/** Accepts an object with these fields as its own, and any others. */
export const objectOf =
  <F extends Readonly<Record<string, Is<never>>>>(fields: F): Is<keyof F extends never ? unknown : Holding<F>> =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const own = new Map<string, unknown>(Object.entries(value));
    return Object.entries(fields).every(([name, is]) => is(own.get(name)));
  };

export const shape = <T>(is: Is<NoInfer<T>>): Schema<T> => ({
  safeParse: (value) => (is(value) ? { success: true, data: value as T } : { success: false }),
});
