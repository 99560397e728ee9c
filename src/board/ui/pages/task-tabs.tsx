/** Stub. */
export const Context = (_: { taskId: string }) => null;
export const Trace = Context;
export const Cost = Context;
