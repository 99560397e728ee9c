/** Every type a test may need, wherever it is kept. */
export type * from './requests.ts';
export type * from './service.ts';
export type * from './views.ts';
