/** Exports every type that a test may need. */
export type * from './requests.ts';
export type * from './service.ts';
export type * from './views.ts';
